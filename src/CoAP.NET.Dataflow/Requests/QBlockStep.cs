using System.Buffers.Binary;
using CoAP.NET.Blockwise;
using CoAP.NET.Options;

namespace CoAP.NET.Requests;

/// <summary>
/// Sends Non-confirmable requests by Q-Block1 and Q-Block2 where the endpoint allows it and the peer knows them, which a Confirmable
/// request finds out (RFC 9177 section 4.1). All others go on to Block1 and Block2: Confirmable ones, those with streams, progress or a
/// part of the body in mind, and those whose peer says no.
/// </summary>
/// <param name="environment">For clock, bounds and counters.</param>
/// <param name="port">Sends messages with tokens that stay.</param>
internal sealed class QBlockStep(CoapEnvironment environment, RequestSender port) : RequestStep
{
    // As for other extensions that a peer may learn when it is renewed.
    private static readonly TimeSpan s_remembered = TimeSpan.FromHours(12);

    private int _tag = unchecked((int)environment.Random.NextUInt64());

    public override StepOutcome Before(OutgoingRequest request) =>
        IsMeant(request) ? StepOutcome.Wait(SendInBurstsAsync(request)) : StepOutcome.Go;

    private bool IsMeant(OutgoingRequest request)
    {
        CoapMessage message = request.Message;
        CoapChannel channel = request.Channel;
        if (message.Type != CoapMessageType.NonConfirmable || channel.IsGroup || !channel.AllowsQBlock || request.FirstBlock is not null
            || environment.Now < channel.LacksQBlockUntil || request.Request.Transfer is { IsSpecial: true }
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

        return message.Code.IsSafe || message.Code == CoapCode.Post || message.Payload.Length > TransferSizes.Whole(request);
    }

    private async Task<StepOutcome> SendInBurstsAsync(OutgoingRequest request)
    {
        CoapChannel channel = request.Channel;
        if (environment.Now >= channel.KnowsQBlockUntil && !await ProbeAsync(request).ConfigureAwait(false))
        {
            return StepOutcome.Go;
        }

        QBlockExchange exchange = new(environment, port, request, NextTag());
        CoapResponse? response = await exchange.RunAsync(request.Cancellation).ConfigureAwait(false);
        if (response is null)
        {
            // It knew the options once; now it does not, or wants an Echo first. Nothing was carried out.
            if (exchange.IsUnknown)
            {
                Forget(channel);
            }

            return StepOutcome.GoWith(request with { Message = request.CopyMessage() });
        }

        // A server may answer by Block2 all the same.
        return response.Message.OptionsToRead?.Block2 is null
            ? StepOutcome.Done(response)
            : StepOutcome.GoWith(request with { FirstBlock = response });
    }

    // Block 0 of the same resource: a request that changes nothing, and whatever is answered but for 4.02 shows that the option is known.
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

        probe.Options.Add(new QBlock2(0, more: false, 16));
        try
        {
            CoapResponse response = await SendBelowAsync(request with { Message = probe }).ConfigureAwait(false);
            if (response.Code != CoapCode.BadOption)
            {
                channel.KnowsQBlockUntil = environment.Now + s_remembered.Ticks;
                return true;
            }
        }
        catch (CoapResetException)
        {
            // Some reject what they do not understand.
        }

        Forget(channel);
        return false;
    }

    private void Forget(CoapChannel channel)
    {
        channel.KnowsQBlockUntil = long.MinValue;
        channel.LacksQBlockUntil = environment.Now + s_remembered.Ticks;
    }

    // Counted from a random beginning, so that none names two bodies (RFC 9177 section 4.3).
    private byte[] NextTag()
    {
        byte[] tag = new byte[4];
        BinaryPrimitives.WriteInt32BigEndian(tag, Interlocked.Increment(ref _tag));
        return tag;
    }
}
