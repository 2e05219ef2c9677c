namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Which of the wire formats bytes are in, as far as mutations need to know it.</summary>
/// <param name="IsDatagram">RFC 7252 section 3; otherwise RFC 8323 section 3.2.</param>
internal readonly record struct WireShape(bool IsDatagram)
{
    public int HeaderSize => IsDatagram ? 4 : 2;

    /// <summary>Where the code stands.</summary>
    public int CodeAt(byte first) => IsDatagram ? 1 : 1 + LengthExtension(first);

    /// <summary>Where the token, or the extension of its length, begins.</summary>
    public int TokenAt(byte first) => IsDatagram ? 4 : 2 + LengthExtension(first);

    private static int LengthExtension(byte first) => (first >> 4) switch { 13 => 1, 14 => 2, 15 => 4, _ => 0 };
}
