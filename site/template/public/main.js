// The search requires every word that is typed, also those that its index leaves out, such as "how" and "the": it finds no page for most
// questions. Here each word is optional, and the pages with most of them come first. Signs, which the index has none of, separate words.
export const optionalWords = query => query.replace(/[^\p{L}\p{N}]+/gu, " ").trim();

export default {
    start() {
        const post = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function (message, ...rest) {
            post.call(this, message?.q ? { ...message, q: optionalWords(message.q) } : message, ...rest);
        };
    },
};
