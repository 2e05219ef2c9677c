namespace CoAP.NET.Dtls.Steering;

/// <summary>The right to open a session in a slot; it ends with the release of the slot.</summary>
/// <param name="Slot">The slot.</param>
/// <param name="Releases">The number of earlier releases of the slot.</param>
internal readonly record struct ClusterSlotPermit(byte Slot, int Releases);
