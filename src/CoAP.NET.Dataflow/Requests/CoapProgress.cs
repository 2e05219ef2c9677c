namespace CoAP.NET;

/// <summary>The progress of a transfer.</summary>
/// <remarks>Reported after each block that the server accepted or that was received.</remarks>
public readonly struct CoapProgress
{
    /// <summary>The number of transferred bytes of the body.</summary>
    /// <remarks>
    /// Returns to 0 when the transfer restarts. A download that continues counts from <see cref="CoapDownloadOptions.Offset"/>; so does
    /// <see cref="TotalBytes"/>.
    /// </remarks>
    public long BytesTransferred { get; internal init; }

    /// <summary>The size of the whole body in bytes; null if it is unknown.</summary>
    /// <remarks>For a download it is the size that the server reports (Size2, RFC 7959 section 4), which may be wrong.</remarks>
    public long? TotalBytes { get; internal init; }

    /// <summary>The number of the last transferred block, in blocks of its size; 0 for a body in one message.</summary>
    internal int BlockNumber { get; init; }

    /// <summary>Whether the body is that of the request, and not that of the response.</summary>
    public bool IsUpload { get; internal init; }

    /// <summary>
    /// The ETag of the representation, with which an interrupted download can be continued (<see cref="CoapDownloadOptions"/>); null if the
    /// server sends none.
    /// </summary>
    public CoapETag? ETag { get; internal init; }
}
