// book_keeper.cc: from observations to the books.
#include <utility>

#include "sim/check/books.h"

namespace semel::sim {
namespace {

class BookKeeper final : public Checker {
 public:
  BookKeeper(const Known& known, Violated violated, std::shared_ptr<Books> books)
      : Checker(known, std::move(violated)), books_(std::move(books)) {}
  std::string_view name() const override { return "books"; }

  void submitted(const Submission& submission) override { books_->note_submitted(submission); }
  void request_left(const WireRequest& request, const KnownEndpoint* endpoint) override {
    books_->note_left(request, endpoint);
  }
  void answer_arrived(const WireAnswer& answer, const WireRequest& to, const KnownEndpoint* endpoint) override {
    books_->note_answer(answer, to, endpoint);
  }
  void commit_asked(const store::WriteSet& write_set, Fence) override { books_->note_asked(write_set); }
  void commit_done(const store::WriteSet& write_set, Fence, CommitFate fate,
                   const store::CommitAnswer& answer) override {
    books_->note_done(write_set);
    if (const auto* committed = std::get_if<store::Committed>(&answer))
      books_->note_committed(write_set, fate, *committed);
  }
  void crashed(std::string_view process) override {
    if (process == kServerProcess) books_->note_crash();
  }
  void inspected(const Inspection& inspection) override { books_->note_inspection(inspection); }

 private:
  std::shared_ptr<Books> books_;
};

}  // namespace

std::unique_ptr<Checker> make_book_keeper(const Known& known, const Checker::Violated& violated,
                                          std::shared_ptr<Books> books) {
  return std::make_unique<BookKeeper>(known, violated, std::move(books));
}

}  // namespace semel::sim
