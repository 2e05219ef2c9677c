using CoAP.NET.Blockwise;
using CoAP.NET.Blockwise.Client;
using CoAP.NET.Exchanges;
using CoAP.NET.Execution;

namespace CoAP.NET.QBlock.Client;

/// <summary>
/// Sends Non-confirmable requests with Q-Block1 and Q-Block2 if the endpoint allows it and the peer supports them, which a Confirmable
/// request detects (RFC 9177 section 4.1). All other requests continue to Block1 and Block2: Confirmable ones, those with streams, progress
/// or a range, and those to peers without support.
/// </summary>
/// <param name="environment">Provides clock, limits and counters.</param>
/// <param name="port">Sends messages with tokens that may get any number of responses.</param>
/// <param name="tags">Gives each body a tag of its own (RFC 9177 section 4.3).</param>
internal sealed class QBlockRequestStep(CoapEnvironment environment, RequestSender port, RequestTags tags) : OutgoingRequestStep
{
    // The same as for other extensions that an updated peer may support.
    private static readonly TimeSpan s_remembered = TimeSpan.FromHours(12);

    public override StepOutcome Before(OutgoingRequest request) =>
        IsMeant(request) ? StepOutcome.Wait(SendInBurstsAsync(request)) : StepOutcome.Go;

    private bool IsMeant(OutgoingRequest request)
    {
        CoapMessage message = request.Message;
        CoapChannel channel = request.Channel;
        if (message.Type != CoapMessageType.NonConfirmable || channel.IsGroup || !channel.AllowsQBlock || request.FirstBlock is not null
            || environment.Now < PeerBlockwiseState.Of(channel)?.LacksQBlockUntil || request.Request.Transfer is { IsSpecial: true }
            || request.Request.Content?.Open is not null)
        {
            return false;
        }

        if (message.OptionsToRead is { } own
            && (own.Contains(OptionNumber.Block1) || own.Contains(OptionNumber.Block2) || own.Contains(OptionNumber.QBlock1)
                || own.Contains(OptionNumber.QBlock2) || own.Contains(OptionNumber.RequestTag) || own.Contains(OptionNumber.Observe)
                || own.Contains(OptionNumber.NoResponse)))
        {
            return false;
        }

        return message.Code.IsSafe || message.Code == CoapCode.Post || message.Payload.Length > RequestBlockSizes.Whole(request);
    }

    private async Task<StepOutcome> SendInBurstsAsync(OutgoingRequest request)
    {
        CoapChannel channel = request.Channel;
        if (environment.Now >= (PeerBlockwiseState.Of(channel)?.KnowsQBlockUntil ?? long.MinValue)
            && !await ProbeAsync(request).ConfigureAwait(false))
        {
            return StepOutcome.Go;
        }

        QBlockExchange exchange = new(environment, port, request, tags.Next());
        CoapResponse? response = await exchange.RunAsync(request.Cancellation).ConfigureAwait(false);
        if (response is null)
        {
            // The peer supported the options before; now it does not, or wants an Echo first. It executed nothing.
            if (exchange.IsUnknown)
            {
                Forget(channel);
            }

            return StepOutcome.GoWith(request with { Message = request.CopyMessage() });
        }

        // A server may still answer with Block2.
        return response.Message.OptionsToRead?.Block2 is null
            ? StepOutcome.Done(response)
            : StepOutcome.GoWith(request with { FirstBlock = response });
    }

    // Block 0 of the same resource: a request that changes nothing. Any response except 4.02 shows that the option is supported.
    private async Task<bool> ProbeAsync(OutgoingRequest request)
    {
        CoapChannel channel = request.Channel;
        CoapMessage probe = new(CoapCode.Get) { Type = CoapMessageType.Confirmable };
        CoapOptionCollection? options = request.Message.OptionsToRead;
        for (int i = 0; i < (options?.Count ?? 0); i++)
        {
            if (options!.NumberAt(i) is OptionNumber.UriHost or OptionNumber.UriPort or OptionNumber.UriPath or OptionNumber.UriQuery)
            {
                probe.Options.Add(options.NumberAt(i), options.ValueAt(i));
            }
        }

        probe.Options.Add(new QBlock2Option(0, more: false, 16));
        try
        {
            CoapResponse response = await SendBelowAsync(request with { Message = probe }).ConfigureAwait(false);
            if (response.Code != CoapCode.BadOption)
            {
                PeerBlockwiseState.GetOrAdd(channel).KnowsQBlockUntil = environment.Now + s_remembered.Ticks;
                return true;
            }
        }
        catch (CoapException exception) when (exception.Error == CoapError.Reset)
        {
            // Some peers reject what they do not understand.
        }

        Forget(channel);
        return false;
    }

    private void Forget(CoapChannel channel)
    {
        PeerBlockwiseState state = PeerBlockwiseState.GetOrAdd(channel);
        state.KnowsQBlockUntil = long.MinValue;
        state.LacksQBlockUntil = environment.Now + s_remembered.Ticks;
    }
}
