namespace CoAP.NET.Cluster.Devices;

/// <summary>Converts requests to devices to messages, and determines whether they may be sent again.</summary>
internal static class DeviceRequestMessageFactory
{
    /// <summary>Creates the message of a request to a device, with its path and query as options and without a host.</summary>
    public static CoapMessage Of(CoapRequest request)
    {
        CoapMessage message = new(request.Code) { Payload = request.Payload };
        if (request.Message.HasOptions)
        {
            message.Options.AddAll(request.Options);
        }

        if (request.Uri is { } uri)
        {
            (uri.AtAnyHost ?? uri).AddTo(message.Options);
        }

        message.Options.Remove(OptionNumber.UriHost);
        message.Options.Remove(OptionNumber.UriPort);
        return message;
    }

    /// <summary>Whether a request changes nothing (RFC 7252 section 5.1).</summary>
    public static bool IsSafe(CoapRequest request) => request.Code == CoapCode.Get || request.Code == CoapCode.Fetch;

    /// <summary>Whether the whole body of a request is in memory. One from a stream may be consumed when the request was sent.</summary>
    public static bool IsWhole(CoapRequest request) => request.Content is not { Open: not null };

    /// <summary>Whether a request is harmless to repeat (RFC 7252 section 5.1).</summary>
    /// <param name="request">The request.</param>
    /// <param name="isOutcomeUnknown">Whether it may have taken effect; irrelevant for safe methods.</param>
    public static bool IsHarmlessTwice(CoapRequest request, bool isOutcomeUnknown) => !isOutcomeUnknown || IsSafe(request)
        || request.Code == CoapCode.Put || request.Code == CoapCode.Delete || request.Code == CoapCode.IPatch;
}
