using CoAP.NET.Exchanges;

namespace CoAP.NET.RequestSteps;

/// <summary>
/// Sends a request with Proxy-Uri again by Proxy-Scheme and the options of the URI if the proxy does not know Proxy-Uri (RFC 7252 section
/// 5.10.2). The peer is remembered, so that later requests and observations use that form at once.
/// </summary>
internal sealed class ProxySchemeFallbackStep : OutgoingRequestStep
{
    public override StepOutcome Before(OutgoingRequest request) =>
        PeerRequestStepState.Of(request.Channel) is { TakesProxyScheme: true } && BySchemeOf(request) is { } byScheme
            ? StepOutcome.GoWith(byScheme) : StepOutcome.Go;

    public override StepOutcome After(OutgoingRequest request, OutgoingRequest sent, CoapResponse response)
    {
        if (sent.AttemptOf(request) > 0)
        {
            // Refused in both forms: the server behind the proxy refuses something else.
            PeerRequestStepState.GetOrAdd(request.Channel).TakesProxyScheme = !IsRefusal(response.Code);
            return StepOutcome.Done(response);
        }

        return IsRefusal(response.Code) && PeerRequestStepState.Of(request.Channel) is not { TakesProxyScheme: true }
            && request.Request.Content is not { IsRepeatable: false } && BySchemeOf(request) is { } byScheme
            ? StepOutcome.Again(byScheme)
            : StepOutcome.Done(response);
    }

    /// <summary>Whether a proxy that does not know an option, or the form of the request, answers so.</summary>
    public static bool IsRefusal(CoapCode code) => code == CoapCode.BadOption || code == CoapCode.NotImplemented;

    /// <summary>Replaces Proxy-Uri by Proxy-Scheme and the options of the URI.</summary>
    /// <param name="message">The message.</param>
    /// <param name="channel">The proxy. To it, a protected request is none of this kind.</param>
    /// <param name="proxy">The URI of the proxy; null if it is unknown.</param>
    /// <returns>Whether the message had a Proxy-Uri that can be split.</returns>
    public static bool TrySplit(CoapMessage message, CoapChannel channel, CoapUri? proxy)
    {
        if (channel.Carried is not null || message.OptionsToRead?.ProxyUri is not { } text)
        {
            return false;
        }

        CoapOptionCollection split = new();
        try
        {
            ProxiedRequestTarget.Read(text, new CoapRequest(new CoapMessage(message.Code))).AddTo(split, proxy?.Port);
        }
        catch (ArgumentException)
        {
            return false;
        }

        message.Options.Remove(OptionNumber.ProxyUri);
        foreach (int number in ProxiedRequestFactory.UriOptions)
        {
            message.Options.Remove(number);
        }

        message.Options.AddAll(split);
        return true;
    }

    private static OutgoingRequest? BySchemeOf(OutgoingRequest request)
    {
        if (request.Message.OptionsToRead?.Contains(OptionNumber.ProxyUri) != true)
        {
            return null;
        }

        CoapMessage copy = request.CopyMessage();
        return TrySplit(copy, request.Channel, request.Target) ? request with { Message = copy } : null;
    }
}
