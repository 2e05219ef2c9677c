namespace CoAP.NET.Oscore;

/// <summary>Scheme, host and port of a server, comparable without creating a text.</summary>
/// <param name="Scheme">The scheme, in lower case.</param>
/// <param name="Host">The host; upper and lower case are equal.</param>
/// <param name="Port">The port.</param>
internal readonly record struct OscoreAuthority(string Scheme, string Host, int Port)
{
    public static OscoreAuthority Of(CoapUri uri) => new(uri.Scheme, uri.Host, uri.Port);

    public bool Equals(OscoreAuthority other) =>
        Port == other.Port
        && string.Equals(Scheme, other.Scheme, StringComparison.Ordinal)
        && string.Equals(Host, other.Host, StringComparison.OrdinalIgnoreCase);

    public override int GetHashCode() =>
        HashCode.Combine(
            string.GetHashCode(Scheme, StringComparison.Ordinal), string.GetHashCode(Host, StringComparison.OrdinalIgnoreCase), Port);

    public override string ToString() => $"{Scheme}://{Host}:{Port}";
}
