using CoAP.NET.Channels;
using CoAP.NET.Options;

namespace CoAP.NET.Requesting;

/// <summary>Which block sizes a request uses: what the caller or the peer's parameters say, what the peer asked for before, and what fits a message.</summary>
internal static class TransferSizes
{
    // Header of 4 bytes, token of at most 8, payload marker.
    private const int Frame = 13;

    // What a block adds to the options: Block1 and Block2 (5 each), Size1 (7), Request-Tag (7).
    private const int BlockOptions = 24;

    /// <summary>The largest body in bytes that goes out at once and without Block1.</summary>
    public static int Whole(OutgoingRequest request)
    {
        int size = Math.Min(Preferred(request), request.Channel.Parameters.MaxMessageSize - Frame - OptionBytes(request.Message));
        return request.Channel.UploadBlockSize is > 0 and int asked ? Math.Min(size, asked) : size;
    }

    /// <summary>The size exponent to begin an upload with, 0 to 6.</summary>
    public static int UploadExponent(OutgoingRequest request)
    {
        CoapChannel channel = request.Channel;
        int size = Math.Min(Preferred(request), channel.Parameters.MaxMessageSize - Frame - BlockOptions - OptionBytes(request.Message));
        return ExponentOf(size, channel.UploadBlockSize);
    }

    /// <summary>The size exponent to ask for blocks of the response with where the first block is not at the beginning, 0 to 6.</summary>
    public static int DownloadExponent(OutgoingRequest request) => ExponentOf(Preferred(request), request.Channel.DownloadBlockSize);

    /// <summary>The size exponent to propose in the first message (RFC 7959 section 2.4: early negotiation); null where the server shall choose.</summary>
    public static int? EarlyExponent(OutgoingRequest request)
    {
        int size = Preferred(request);
        return size < 1024 && (request.Message.Code.IsSafe || request.Message.Code == CoapCode.Post) ? BlockValue.GetSizeExponent(size) : null;
    }

    private static int Preferred(OutgoingRequest request) => request.Request.Transfer?.BlockSize ?? request.Channel.Parameters.PreferredBlockSize;

    // Where not even the smallest block fits, the message is too large and fails with the reason.
    private static int ExponentOf(int size, int remembered) => BlockValue.GetSizeExponent(Math.Max(16, remembered == 0 ? size : Math.Min(size, remembered)));

    // RFC 7252 section 3.1.
    private static int OptionBytes(CoapMessage message)
    {
        int bytes = 0;
        int previous = 0;
        for (int i = 0; i < (message.OptionsToRead?.Count ?? 0); i++)
        {
            int number = message.OptionsToRead!.NumberAt(i);
            int length = message.OptionsToRead.LengthAt(i);
            bytes += 1 + ExtensionBytes(number - previous) + ExtensionBytes(length) + length;
            previous = number;
        }

        return bytes;
    }

    private static int ExtensionBytes(int value) => value < 13 ? 0 : value < 269 ? 1 : 2;
}
