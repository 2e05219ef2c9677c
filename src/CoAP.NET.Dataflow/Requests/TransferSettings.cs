namespace CoAP.NET.Requests;

/// <summary>The settings of a request for its block-wise transfer and its time; most requests have none, and received ones never.</summary>
internal sealed class TransferSettings
{
    /// <summary>How long the whole request may take; null for the times of the transmission parameters.</summary>
    public TimeSpan? Timeout { get; set; }

    /// <summary>What happens when the server defers the request; null for the setting of the endpoint.</summary>
    public CoapTooManyRequestsBehavior? TooManyRequests { get; set; }

    /// <summary>The block size to propose, in bytes; null for that of the peer's parameters.</summary>
    public int? BlockSize { get; set; }

    /// <summary>Is notified of each block.</summary>
    public IProgress<CoapProgress>? Progress { get; set; }

    /// <summary>Where the response's body goes; null for the response itself.</summary>
    public Stream? Destination { get; set; }

    /// <summary>Which part of the body is wanted; null for all.</summary>
    public CoapDownloadOptions? Download { get; set; }

    /// <summary>Ends with the first successful response before its body is written.</summary>
    public TaskCompletionSource<CoapResponse>? Started { get; set; }

    /// <summary>Takes the response's body as a stream where that is large; null for the response itself.</summary>
    public CoapOpenedResponse? OpenedResponse { get; set; }

    /// <summary>The defaults of the client that do not apply.</summary>
    public CoapClientDefaultKinds IgnoredDefaults { get; set; }

    /// <summary>Whether a proxy sends it on for another party.</summary>
    public bool IsForwarded { get; set; }

    /// <summary>For whom it is sent on; null for the caller itself.</summary>
    public CoapQuotaSource? OnBehalfOf { get; set; }

    /// <summary>Whether the request has the bytes of another client, who may have chosen the server too.</summary>
    public bool IsForOther => IsForwarded || OnBehalfOf is not null;

    /// <summary>Whether the response does not hold the whole body: it goes elsewhere, or is only a part.</summary>
    public bool LeavesBodyOut => Destination is not null || Download is not null || OpenedResponse is { IsStreamed: true };

    /// <summary>Whether even a request of one message has to be looked at.</summary>
    public bool IsSpecial => Progress is not null || Destination is not null || Download is not null;

    public TransferSettings Clone() => (TransferSettings)MemberwiseClone();
}
