namespace CoAP.NET.Benchmarks;

/// <summary>What a client asks for.</summary>
public enum ClientWork
{
    /// <summary>A GET of a URI, Confirmable on datagrams.</summary>
    Get,

    /// <summary>The same; the request objects are made once.</summary>
    GetKept,

    /// <summary>A GET, Non-confirmable.</summary>
    GetNon,

    /// <summary>A POST of 64 bytes.</summary>
    Post,
}

/// <summary>A wire format and what is asked for.</summary>
/// <param name="Format">The wire format.</param>
/// <param name="Work">What is asked for.</param>
public sealed record ClientCase(WireFormat Format, ClientWork Work)
{
    /// <summary>All that there are: connections know no types.</summary>
    public static IEnumerable<ClientCase> All =>
        from format in Enum.GetValues<WireFormat>()
        from work in Enum.GetValues<ClientWork>()
        where format == WireFormat.Datagram || work != ClientWork.GetNon
        select new ClientCase(format, work);

    /// <summary>The name in the table.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Format} {Work}";
}
