using CoAP.NET.Blockwise;

namespace CoAP.NET;

// What a request to send asks of its block-wise transfer (RFC 7959). Bodies of any size are transferred in blocks without any of it.
public sealed partial class CoapRequest
{
    /// <summary>
    /// The block size in bytes to propose for both bodies: 16, 32, 64, 128, 256, 512 or 1,024. Default null: <see cref="CoapTransmissionParameters.PreferredBlockSize"/> of the peer; over a connection whatever fits a message.
    /// A server may use a smaller one (RFC 7959 sections 2.3 and 2.4).
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Another number.</exception>
    public int? BlockSize
    {
        get => Transfer?.BlockSize;
        set
        {
            if (value is not (null or 16 or 32 or 64 or 128 or 256 or 512 or 1024))
            {
                throw new ArgumentOutOfRangeException(nameof(value), value, "A block has 16, 32, 64, 128, 256, 512 or 1024 bytes (RFC 7959 section 2.2).");
            }

            Wishes.BlockSize = value;
        }
    }

    /// <summary>Is told of each block that was transferred. Default null.</summary>
    public IProgress<CoapProgress>? Progress
    {
        get => Transfer?.Progress;
        set => Wishes.Progress = value;
    }

    /// <summary>
    /// Where the body of a successful response goes, block by block; the response itself then has no payload, and <see cref="CoapLimits.MaxResponseBodySize"/> does not apply. Default null:
    /// the body is the payload of the response. When the representation changes on the way, a stream that can seek is cut back to where it stood and written again; with
    /// others the request fails. What was written stays when the request fails, so that the download can be continued (<see cref="Download"/>).
    /// </summary>
    /// <exception cref="ArgumentException">The stream cannot be written.</exception>
    public Stream? Destination
    {
        get => Transfer?.Destination;
        set
        {
            if (value is { CanWrite: false })
            {
                throw new ArgumentException("The stream cannot be written.", nameof(value));
            }

            Wishes.Destination = value;
        }
    }

    /// <summary>Which part of the response's body is wanted. Default null: all of it.</summary>
    public CoapDownloadOptions? Download
    {
        get => Transfer?.Download;
        set => Wishes.Download = value;
    }

    internal TransferWishes? Transfer => _more?.Transfer;

    internal TransferWishes Wishes => More.Transfer ??= new TransferWishes();
}
