namespace CoAP.NET;

/// <summary>How far a transfer is. Told after each block: one that the server took, or one that came.</summary>
public readonly record struct CoapProgress
{
    /// <summary>The bytes of the body that were transferred so far. Goes back to 0 when the transfer begins again.</summary>
    /// <remarks>A download that continues counts from <see cref="CoapDownloadOptions.Offset"/>; so does <see cref="TotalBytes"/>.</remarks>
    public long BytesTransferred { get; init; }

    /// <summary>
    /// The size of the whole body in bytes; null when nobody knows. For a download it is what the server says (Size2, RFC 7959 section 4),
    /// which may be wrong.
    /// </summary>
    public long? TotalBytes { get; init; }

    /// <summary>The number of the block that was transferred last, counted in blocks of its size; 0 for a body of one message.</summary>
    public int BlockNumber { get; init; }

    /// <summary>Whether it is the body of the request that is on its way, and not that of the response.</summary>
    public bool IsUpload { get; init; }

    /// <summary>
    /// The ETag of the representation that comes, by which a broken download can be continued (<see cref="CoapDownloadOptions"/>); null
    /// when the server gives none.
    /// </summary>
    public ReadOnlyMemory<byte>? ETag { get; init; }
}
