// crypto_test.cc: the primitives against published vectors.
#include "core/signature/crypto.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace semel::signature {
namespace {

std::string bytes(std::string_view hex) { return from_hex(hex).value(); }

struct HmacVector {
  std::string key;
  std::string message;
  const char* tag;
};

//= RFC 4231 section 4: test cases 1, 2, 3 and 6
TEST(Hmac, is_that_of_rfc_4231) {
  const HmacVector kCases[] = {
      {std::string(20, '\x0b'), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {std::string(20, '\xaa'), std::string(50, '\xdd'),
       "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
  };
  for (const HmacVector& vector : kCases)
    EXPECT_EQ(to_hex(as_text(Hmac(vector.key).tag({vector.message}))), vector.tag);
}

TEST(Hmac, one_context_makes_independent_tags_of_messages_in_parts) {
  Hmac hmac("Jefe");
  const HmacTag other = hmac.tag({"something else"});
  const HmacTag whole = hmac.tag({"what do ya want for nothing?"});
  EXPECT_EQ(to_hex(as_text(whole)), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac.tag({"what do ya", "", " want for nothing?"}), whole);
  EXPECT_EQ(hmac.tag({"something else"}), other);
}

TEST(Hmac, tags_differ_in_any_single_bit) {
  const HmacTag tag = Hmac("Jefe").tag({"x"});
  EXPECT_TRUE(tags_equal(tag, as_text(tag)));
  for (std::size_t bit = 0; bit < 256; ++bit) {
    HmacTag changed = tag;
    changed[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    EXPECT_FALSE(tags_equal(tag, as_text(changed))) << bit;
  }
}

struct Ed25519Vector {
  const char* seed;
  const char* public_key;
  const char* message;
  const char* signature;
};

//= RFC 8032 section 7.1: tests 1, 2, 3 and SHA(abc)
constexpr Ed25519Vector kEd25519[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe246"
     "5"
     "5141438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb"
     "0"
     "0d291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc"
     "0"
     "27beceea1ec40a"},
    {"833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
     "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2"
     "a9"
     "ac94fa54ca49f",
     "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad"
     "9"
     "bef1177331a704"},
};

TEST(Ed25519, signs_and_verifies_as_rfc_8032) {
  for (const Ed25519Vector& vector : kEd25519) {
    const Ed25519Signer signer(bytes(vector.seed));
    EXPECT_EQ(to_hex(signer.public_key()), vector.public_key);
    EXPECT_EQ(to_hex(signer.sign(bytes(vector.message))), vector.signature);
    EXPECT_TRUE(verify_ed25519(bytes(vector.public_key), bytes(vector.message), bytes(vector.signature)));
  }
}

TEST(Ed25519, refuses_what_differs) {
  const Ed25519Vector& vector = kEd25519[2];
  const std::string key = bytes(vector.public_key);
  const std::string message = bytes(vector.message);
  const std::string signature = bytes(vector.signature);
  EXPECT_FALSE(verify_ed25519(key, message + "x", signature));
  EXPECT_FALSE(verify_ed25519(key, message.substr(1), signature));
  EXPECT_FALSE(verify_ed25519(bytes(kEd25519[1].public_key), message, signature));
  EXPECT_FALSE(verify_ed25519(key, message, bytes(kEd25519[1].signature)));
  EXPECT_FALSE(verify_ed25519(key, message, signature.substr(1)));
  EXPECT_FALSE(verify_ed25519(key, message, signature + "x"));
  EXPECT_FALSE(verify_ed25519(key, message, ""));
  EXPECT_FALSE(verify_ed25519(key.substr(1), message, signature));
  EXPECT_FALSE(verify_ed25519(key, message, std::string(64, '\0')));
  for (const std::size_t at : {std::size_t{0}, std::size_t{31}, std::size_t{32}, std::size_t{63}}) {
    std::string changed = signature;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(verify_ed25519(key, message, changed)) << at;
  }
}

//= RFC 8032 section 5.1.7: S is decoded as an integer in the range 0 <= s < L
TEST(Ed25519, refuses_a_signature_whose_s_is_not_canonical) {
  const std::string r = bytes("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155");
  const std::string s_plus_l = bytes("4c8c7872aa064e049dbb3013fbf29380d25bf5f0595bbe24655141438e7a101b");
  EXPECT_FALSE(verify_ed25519(bytes(kEd25519[0].public_key), "", r + s_plus_l));
}

}  // namespace
}  // namespace semel::signature
