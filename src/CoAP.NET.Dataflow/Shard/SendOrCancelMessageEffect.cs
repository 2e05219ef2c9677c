namespace CoAP.NET.Shard;

/// <summary>A message of this endpoint's own that a state machine sends or cancels.</summary>
/// <param name="Transmission">The message.</param>
/// <param name="IsCancelled">Whether it is cancelled: its copies stop, and its place is free.</param>
internal readonly record struct SendOrCancelMessageEffect(CoapTransmission Transmission, bool IsCancelled);
