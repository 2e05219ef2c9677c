namespace CoAP.NET.Messaging;

/// <summary>A message of a peer whose session continues elsewhere: a copy must not be processed there.</summary>
/// <param name="MessageId">Its Message ID.</param>
/// <param name="Class">The effect of processing it again.</param>
/// <param name="Kind">The kind of answer to a copy.</param>
/// <param name="Left">How long copies may arrive, in units of 100 ns.</param>
/// <param name="Reply">The bytes of the answer; empty for none.</param>
internal readonly record struct SeenMessage(ushort MessageId, MethodSafety Class, DuplicateReplyKind Kind, long Left, byte[] Reply);
