using CoAP.NET.Exchanges;
using CoAP.NET.RequestSteps;

namespace CoAP.NET.Blockwise.Client;

/// <summary>
/// Which block sizes a request uses: what the caller or the peer's parameters say, what the peer asked for before, and what fits a message.
/// On a connection whatever fits a message goes in one, and what does not by BERT where both ends can (RFC 8323 section 6); the parameters
/// are about datagrams.
/// </summary>
internal static class RequestBlockSizes
{
    // Header of 4 bytes, token of at most 8, payload marker.
    private const int Frame = 13;

    // On connections: first byte, extended length, code, extension of the token length, payload marker.
    private const int StreamFrame = 1 + 4 + 1 + 2 + 1;
    private const int SmallStreamFrame = 1 + 2 + 1 + 1;
    private const int UsualToken = 4;

    // The maximum that a proxy forwards of a stream in one message: more would be read before any of it is sent.
    private const int PassedAtOnce = 16 * 1024;

    // The options of a block: Block1 and Block2 (5 each), Size1 (7), Request-Tag (7).
    private const int BlockOptions = 24;

    /// <summary>The largest body in bytes that goes out at once and without Block1.</summary>
    public static int Whole(OutgoingRequest request)
    {
        if (request.Channel.IsReliable && !PeerBlockwiseState.TakesBlocks(request.Channel))
        {
            // There is no other way; what is too large fails when it is sent.
            return request.Channel.MaxMessageSize;
        }

        int size = Math.Min(Preferred(request), Room(request));
        return PeerBlockwiseState.Of(request.Channel)?.UploadBlockSize is > 0 and int asked ? Math.Min(size, asked) : size;
    }

    public static BlockPayloadSize Upload(OutgoingRequest request) => BlockPayloadSize.Of(
        request.Channel, ExponentOf(request, PeerBlockwiseState.Of(request.Channel)?.UploadBlockSize ?? 0), Room(request) - BlockOptions);

    /// <summary>The size exponent to ask for blocks of the response with where the first block is not at the beginning, 0 to 7.</summary>
    public static int DownloadExponent(OutgoingRequest request) =>
        ExponentOf(request, PeerBlockwiseState.Of(request.Channel)?.DownloadBlockSize ?? 0);

    /// <summary>
    /// The size exponent to propose in the first message (RFC 7959 section 2.4: early negotiation); null where the server shall choose.
    /// </summary>
    public static int? EarlyExponent(OutgoingRequest request) =>
        ProposedSize(request.Channel, request.Request.Transfer?.BlockSize) is { } size
            && (request.Message.Code.IsSafe || request.Message.Code == CoapCode.Post) ? BlockValue.GetSizeExponent(size) : null;

    /// <summary>Returns the block size in bytes that a first request proposes; null for none, for example without a setting.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="chosen">The setting of the caller.</param>
    public static int? ProposedSize(CoapChannel channel, int? chosen)
    {
        if (channel.IsReliable)
        {
            return channel.Connection!.Capabilities.ReportsBlockSupport ? chosen : null;
        }

        int size = chosen ?? channel.Parameters.PreferredBlockSize;
        return size < 1024 ? size : null;
    }

    private static int Preferred(OutgoingRequest request) =>
        request.Request.Transfer?.BlockSize ?? (request.Channel.IsReliable ? int.MaxValue : request.Channel.Parameters.PreferredBlockSize);

    // The room of a message for the payload, after its options.
    private static int Room(OutgoingRequest request)
    {
        CoapChannel channel = request.Channel;
        int token = ExtendedTokenLength.OfConnection(channel);

        // A peer that may not know blocks gets whole what fits exactly.
        int frame = !channel.IsReliable ? Frame
            : !channel.Connection!.Capabilities.ReportsBlockSupport && channel.MaxMessageSize <= ushort.MaxValue && token == 0
            ? SmallStreamFrame + Math.Max(UsualToken, request.Message.Token.Length)
            : StreamFrame + Math.Max(CoapToken.MaxLength, token);
        int room = channel.Room(frame, request.Message.OptionsToRead);
        return channel.IsReliable && request.Request is { IsForwarded: true, Content.Open: not null }
            ? Math.Min(room, PassedAtOnce + BlockOptions)
            : room;
    }

    // What the peer asked for before makes blocks smaller; 0 for nothing.
    private static int ExponentOf(OutgoingRequest request, int remembered) =>
        remembered == 0 && PeerBlockwiseState.TakesBert(request.Channel) && request.Request.Transfer?.BlockSize is null
            ? BlockValue.BertSizeExponent
            : BlockValue.GetSizeExponent(Math.Min(Preferred(request), remembered == 0 ? int.MaxValue : remembered));
}
