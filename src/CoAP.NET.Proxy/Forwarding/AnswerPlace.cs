namespace CoAP.NET.Proxy.Forwarding;

/// <summary>From where on an answer is wanted that may come as a stream.</summary>
/// <param name="Offset">The first byte; 0 for all of it.</param>
internal readonly record struct AnswerPlace(long Offset);
