namespace CoAP.NET.Dtls.Steering;

/// <summary>The right to make a session in a slot; it ends when the slot is released.</summary>
/// <param name="Slot">The slot.</param>
/// <param name="Releases">How often the slot had been released before.</param>
internal readonly record struct SlotGrant(byte Slot, int Releases);
