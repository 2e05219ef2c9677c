namespace CoAP.NET.Messaging;

/// <summary>The bytes of duplicate memory that are reserved for the reply to a running request.</summary>
/// <param name="Share">The share that pays for them (<see cref="DuplicateQuota"/>); 0 for none.</param>
/// <param name="Bytes">The bytes.</param>
internal readonly record struct DuplicateMemoryReservation(int Share, int Bytes);
