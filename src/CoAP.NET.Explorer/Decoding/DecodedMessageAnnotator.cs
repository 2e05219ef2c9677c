using System.Globalization;

namespace CoAP.NET.Explorer.Decoding;

/// <summary>Completes a decoded message with derived fields and remarks.</summary>
internal static class DecodedMessageAnnotator
{
    /// <summary>Fills in path, Content-Format and block, and remarks on well-formed but meaningless fields.</summary>
    public static void Complete(DecodedMessage message)
    {
        CoapCode code = message.Code!.Value;
        message.ContentFormat = UIntOf(message, OptionNumber.ContentFormat) is { } format and <= ushort.MaxValue && !code.IsSignalling
            ? new CoapContentFormat((ushort)format)
            : null;
        if (!code.IsSignalling)
        {
            message.Path = PathOf(message);
            message.Part = PartOf(message);
        }

        if (message.Type is { } type)
        {
            Remark(message, type, code);
        }
    }

    private static void Remark(DecodedMessage message, CoapMessageType type, CoapCode code)
    {
        string? remark = (type, code) switch
        {
            (CoapMessageType.Confirmable, { IsEmpty: true }) =>
                "A Confirmable Empty message asks for a Reset: a CoAP Ping (RFC 7252 section 4.3).",
            (CoapMessageType.NonConfirmable, { IsEmpty: true }) =>
                "A Non-confirmable message is never Empty; it is ignored (RFC 7252 section 4.3).",
            (CoapMessageType.Acknowledgement, { IsEmpty: true }) =>
                "An Empty Acknowledgement: the response comes later, in a message of its own (RFC 7252 section 5.2.2).",
            (CoapMessageType.Acknowledgement, { IsRequest: true }) =>
                "An Acknowledgement never carries a request; it is ignored (RFC 7252 section 4.2).",
            (CoapMessageType.Acknowledgement, { IsResponse: true }) => "A piggybacked response (RFC 7252 section 5.2.1).",
            (CoapMessageType.Reset, { IsEmpty: true }) =>
                "The receiver could not process the message of this Message ID, or answers a Ping (RFC 7252 section 4.2).",
            (CoapMessageType.Reset, _) => "A Reset is always Empty; it is ignored (RFC 7252 section 4.2).",
            _ => null,
        };
        if (remark is not null && message.Fault is null)
        {
            message.Remarks.Add(remark);
        }
    }

    private static string? PathOf(DecodedMessage message)
    {
        CoapCode code = message.Code!.Value;
        (int path, int query) = code.IsRequest
            ? (OptionNumber.UriPath, OptionNumber.UriQuery)
            : (OptionNumber.LocationPath, OptionNumber.LocationQuery);
        string text = string.Concat(message.Options.Where(option => option.Number == path).Select(option => "/" + option.Text));
        string[] queries = [.. message.Options.Where(option => option.Number == query).Select(option => option.Text)];
        text += queries.Length > 0 ? "?" + string.Join('&', queries) : "";
        return text.Length > 0 ? text : code.IsRequest ? "/" : null;
    }

    // Block1 describes the payload of requests, Block2 that of responses (RFC 7959 section 2.1).
    private static string? PartOf(DecodedMessage message)
    {
        bool isRequest = message.Code!.Value.IsRequest;
        DecodedOption? option = message.Options.Find(option => isRequest
            ? option.Number is OptionNumber.Block1 or OptionNumber.QBlock1
            : option.Number is OptionNumber.Block2 or OptionNumber.QBlock2);
        return option is not null && BlockValue.TryParse(option.Value, out BlockValue block) && (block.More || block.Number > 0)
            ? string.Create(CultureInfo.InvariantCulture,
                $"block {block.Number} of a larger body, from byte {block.ByteOffset}{(block.More ? ", more follow" : ", the last one")}")
            : null;
    }

    private static uint? UIntOf(DecodedMessage message, int number) =>
        message.Options.Find(option => option.Number == number) is { } option
            && new OptionData(number, option.Value).TryGetUInt(out uint value) ? value : null;
}
