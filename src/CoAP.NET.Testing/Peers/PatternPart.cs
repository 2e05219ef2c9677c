namespace CoAP.NET.Testing.Peers;

/// <summary>One part of a <see cref="DatagramBytePattern"/>.</summary>
/// <param name="Kind">The kind of the part.</param>
/// <param name="Value">The bits that must be equal (<see cref="PatternPartKind.Byte"/>).</param>
/// <param name="Mask">The bits that are compared.</param>
/// <param name="Name">The name of a capture or of a reference.</param>
/// <param name="Length">The length of a capture, or one of the special lengths.</param>
internal readonly record struct PatternPart(PatternPartKind Kind, byte Value = 0, byte Mask = 0, string Name = "", int Length = 0)
{
    /// <summary>As many bytes as the low half of the first byte of the datagram says.</summary>
    public const int TokenLength = -1;

    /// <summary>All remaining bytes.</summary>
    public const int Rest = -2;
}
