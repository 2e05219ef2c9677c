using CoAP.NET.Exchanges;

namespace CoAP.NET.Blockwise.Client;

/// <summary>
/// Transfers bodies that are too large for one message in blocks (RFC 7959), with <see cref="BlockwiseTransfer"/>. Small requests with
/// small responses pass unchanged. Requests that set Block1 or Block2 themselves bypass this step.
/// </summary>
/// <param name="environment">Provides limits, counters and log.</param>
internal sealed class BlockwiseStep(CoapEnvironment environment) : OutgoingRequestStep
{
    public RequestTags Tags { get; } = new(environment.Random);

    public CoapEnvironment Environment => environment;

    public override StepOutcome Before(OutgoingRequest request)
    {
        if (request.FirstBlock is { } first)
        {
            return Transfer(request, first);
        }

        if (IsLeftAlone(request))
        {
            return StepOutcome.Go;
        }

        CoapMessage message = request.Message;
        if (MustTransfer(request))
        {
            return Transfer(request, null);
        }

        if (RequestBlockSizes.EarlyExponent(request) is { } exponent
            && !(message.HasOptions && message.OptionsToRead!.Contains(OptionNumber.QBlock2)))
        {
            message.Options.Block2 = new BlockValue(0, more: false, exponent);
        }

        return message.Code == CoapCode.Post ? BeginPost(request) : StepOutcome.Go;
    }

    public override StepOutcome After(OutgoingRequest request, OutgoingRequest sent, CoapResponse response)
    {
        if (IsComplete(request.Message, response.Message) || IsLeftAlone(request))
        {
            Conclude(request);
            return StepOutcome.Done(response);
        }

        return request.UntaggedResource is null
            ? Transfer(request, response)
            : StepOutcome.Wait(TransferAndConcludeAsync(request, response));
    }

    public override StepOutcome Failed(OutgoingRequest request, OutgoingRequest sent, Exception exception)
    {
        Conclude(request);
        return StepOutcome.Fail(exception);
    }

    private StepOutcome Transfer(OutgoingRequest request, CoapResponse? answer) =>
        StepOutcome.Wait(new BlockwiseTransfer(this, request).RunAsync(answer, request.Cancellation));

    private async Task<CoapResponse> TransferAndConcludeAsync(OutgoingRequest request, CoapResponse answer)
    {
        try
        {
            return await new BlockwiseTransfer(this, request).RunAsync(answer, request.Cancellation).ConfigureAwait(false);
        }
        finally
        {
            if (request.Request.Transfer?.OpenedResponse?.Body is { } body)
            {
                _ = ConcludeAfterAsync(body.Fetching, request);
            }
            else
            {
                Conclude(request);
            }
        }
    }

    private async Task ConcludeAfterAsync(Task fetching, OutgoingRequest request)
    {
        await fetching.ConfigureAwait(false);
        Conclude(request);
    }

    private void Conclude(OutgoingRequest request) => Tags.Conclude(request.Channel.Links.AddressHash, request.UntaggedResource);

    // Do not check the options of the message: another step may resend a message that this one completed.
    private static bool IsLeftAlone(OutgoingRequest request) =>
        request.Request.Message.OptionsToRead is { } own && (own.Contains(OptionNumber.Block1) || own.Contains(OptionNumber.Block2));

    private static bool MustTransfer(OutgoingRequest request) =>
        request.Request.Transfer is { IsSpecial: true } || request.Request.Content?.Open is not null
        || (!request.Message.Payload.IsEmpty && request.Message.Payload.Length > RequestBlockSizes.Whole(request));

    // Requests for later blocks of the response to a POST have no payload. With two transfers at a time to one resource, the tag therefore
    // has to identify the transfer (RFC 9175 section 3.3).
    private StepOutcome BeginPost(OutgoingRequest request)
    {
        if (Tags.Begin(request.Channel.Links.AddressHash, request.Message) is not { } untagged)
        {
            return StepOutcome.Go;
        }

        request.UntaggedResource = untagged;
        return StepOutcome.Watch;
    }

    // Whether a response ends a request of one message: it has no block options.
    private static bool IsComplete(CoapMessage request, CoapMessage response) =>
        response.OptionsToRead is { } options && (options.Contains(OptionNumber.Block2) || options.Contains(OptionNumber.Block1))
            ? false
            : response.Code != CoapCode.Continue && (response.Code != CoapCode.RequestEntityTooLarge || request.Payload.Length <= 16);
}
