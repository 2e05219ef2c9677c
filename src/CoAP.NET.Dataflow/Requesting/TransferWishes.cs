namespace CoAP.NET.Requesting;

/// <summary>What a request asks of a block-wise transfer beyond that it works; most requests have none.</summary>
internal sealed class TransferWishes
{
    /// <summary>The block size to propose, in bytes; null for that of the peer's parameters.</summary>
    public int? BlockSize { get; set; }

    /// <summary>Is told of each block.</summary>
    public IProgress<CoapProgress>? Progress { get; set; }

    /// <summary>Where the response's body goes; null for the response itself.</summary>
    public Stream? Destination { get; set; }

    /// <summary>Which part of the body is wanted; null for all.</summary>
    public CoapDownloadOptions? Download { get; set; }

    /// <summary>Is told the first successful response before its body is written.</summary>
    public Action<CoapResponse>? Started { get; set; }

    /// <summary>Whether the response does not hold the whole body: it goes elsewhere, or is only a part.</summary>
    public bool LeavesBodyOut => Destination is not null || Download is not null;

    /// <summary>Whether even a request of one message has to be looked at.</summary>
    public bool IsSpecial => Progress is not null || Destination is not null || Download is not null;
}
