namespace CoAP.NET.Messaging;

/// <summary>What has to be known of a message of a peer where its session goes on: a copy of it must not be carried out.</summary>
/// <param name="MessageId">Its Message ID.</param>
/// <param name="Class">What it would mean to carry it out again.</param>
/// <param name="Kind">What a copy is answered with.</param>
/// <param name="Left">How long copies may come, in units of 100 ns.</param>
/// <param name="Reply">The bytes of the answer; empty where there are none.</param>
internal readonly record struct SeenMessage(ushort MessageId, MethodClass Class, StoredReply Kind, long Left, byte[] Reply);
