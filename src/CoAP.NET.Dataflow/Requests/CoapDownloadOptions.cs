namespace CoAP.NET;

/// <summary>Which part of a representation is downloaded: to continue a download that broke off.</summary>
public sealed class CoapDownloadOptions
{
    private readonly long _offset;

    /// <summary>The first byte that is wanted.</summary>
    /// <remarks>Default 0; 0 to 1 GiB, and fewer for smaller blocks (RFC 7959 section 2.2: at most 1,048,576 blocks).</remarks>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0 to 1 GiB.</exception>
    public long Offset
    {
        get => _offset;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 1L << 30);
            _offset = value;
        }
    }

    /// <summary>The ETag of the representation that the download began with.</summary>
    /// <remarks>
    /// When the server has another one meanwhile the request fails with <see cref="CoapProtocolException"/>. Null: not checked. Default
    /// null.
    /// </remarks>
    public CoapETag? ETag { get; init; }
}
