namespace CoAP.NET.Simulation.Fuzz;

/// <summary>URIs (RFC 7252 section 6, RFC 3986): text to URI to text, URI to options to URI, references.</summary>
internal sealed class UriTarget : ContentTarget
{
    private static readonly CoapUri s_base = CoapUri.Parse("coap://[2001:db8::1]:61616/a/b/c?d=e");
    private static readonly IPEndPoint s_destination = new(IPAddress.Parse("192.0.2.1"), 5683);

    public override int Share => 2000;

    public override int MaxLength => 600;

    public override IReadOnlyList<byte[]> Dictionary { get; } = Words(
        "coap://", "coaps://", "coap+tcp://", "coaps+ws://", "[::1]", "[fe80::1%25eth0]", "[2001:db8::1]", "192.0.2.1", "%25", "%3F", "%2F",
        "%2e", "%00", "%C3%BC", "%ff", "/../", "/./", "/", "//", "?", "&", "#", "@",
        ":", ":5683", ":0", ":65536", "%", "[", "]", "..", "xn--", "EXAMPLE", "=", ";", "%5B", "%40", "[::ffff:1.2.3.4]");

    public override ulong Run(byte[] input)
    {
        string text = Encoding.Latin1.GetString(input);
        if (IsPlanted("slow"))
        {
            for (long i = 0; text.Contains('[') && i < 20_000_000; i++)
            {
            }
        }

        BeginMeter(factor: 96);
        bool isUri = CoapUri.TryParse(text, out CoapUri? uri, out string? error);
        EndMeter(input.Length, "Reading a URI");
        Check(isUri == (uri is not null) && isUri == (error is null), "verdict", $"{isUri}, {uri}, {error}");
        ulong signature = isUri ? 1 : (ulong)error!.Length;
        if (uri is not null)
        {
            CheckUri(uri);
            signature = FuzzRandom.Mix(
                signature,
                Small(uri.PathSegments.Count, 7) | (Small(uri.QueryArguments.Count, 7) << 4) | (uri.HostAddress is null ? 0u : 256)
                    | (uri.ZoneId is null ? 0u : 512) | (Small(uri.Scheme.Length, 15) << 12));
        }

        BeginMeter(factor: 128);
        bool isReference = s_base.TryResolve(text, out CoapUri? resolved, out _);
        EndMeter(input.Length, "Resolving a reference");
        if (isReference && resolved is not null)
        {
            CheckUri(resolved);
            signature = FuzzRandom.Mix(signature, (ulong)Math.Min(resolved.PathSegments.Count, 7) + 100);
        }

        return signature;
    }

    /// <summary>
    /// Whether two URIs name the same. An escaped capital letter in a host keeps its case on the way into Uri-Host (RFC 7252 section 6.4,
    /// step 5) and not on the way out of it; hosts have no case.
    /// </summary>
    public static bool IsSame(CoapUri one, CoapUri other) => one == other
        || (string.Equals(one.Host, other.Host, StringComparison.OrdinalIgnoreCase) && one.Port == other.Port && one.Scheme == other.Scheme
            && one.PathSegments.SequenceEqual(other.PathSegments) && one.QueryArguments.SequenceEqual(other.QueryArguments));

    private static void CheckUri(CoapUri uri)
    {
        string text = uri.ToString();
        Check(CoapUri.TryParse(text, out CoapUri? again, out string? error), "text", $"{text} came of a URI and is none: {error}");
        Check(again! == uri && again!.ToString() == text && again.GetHashCode() == uri.GetHashCode(), "text",
            $"{text} is read as {again}.");

        // What a request with these options is for is this URI, but for its zone, which is never sent.
        CoapOptionCollection options = new();
        uri.AddTo(options, s_destination.Address, s_destination.Port);
        Check(CoapUri.TryCompose(uri.Scheme, options, s_destination, out CoapUri? composed, out error), "options",
            $"{text} is a URI, but its options are none: {error}");
        Check(
            uri.ZoneId is not null || IsSame(composed!, uri)
                || (uri.HostAddress is not null && composed!.HostAddress is not null
                    && composed.HostAddress.MapToIPv6().Equals(uri.HostAddress.MapToIPv6())),
            "options",
            $"{text} turns to options and back into {composed}.");
        for (int i = 0; i < options.Count; i++)
        {
            Check(options.ValueAt(i).Length <= 255, "options", $"An option of {options.ValueAt(i).Length} B.");
        }
    }
}
