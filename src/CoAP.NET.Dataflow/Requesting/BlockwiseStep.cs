using CoAP.NET.Blockwise;
using CoAP.NET.Options;

namespace CoAP.NET.Requesting;

/// <summary>
/// Transfers bodies that are too large for one message in blocks (RFC 7959). A small request with a small response passes; what a large one takes is done by
/// <see cref="BlockwiseTransfer"/>. Who sets Block1 or Block2 in the options of his request does it by himself and gets each response as it came.
/// </summary>
/// <param name="environment">For bounds, counters and log.</param>
internal sealed class BlockwiseStep(CoapEnvironment environment) : RequestStep
{
    /// <summary>Which uploads of this endpoint are not concluded.</summary>
    public UploadTags Tags { get; } = new(environment.Random);

    public CoapEnvironment Environment => environment;

    public override Task<CoapResponse> SendAsync(OutgoingRequest request, CancellationToken cancellationToken)
    {
        CoapRequest asked = request.Request;
        if (request.FirstBlock is not null)
        {
            return new BlockwiseTransfer(this, request).RunAsync(request.FirstBlock, cancellationToken);
        }

        // Not those of the message: another step may send again what this one completed.
        if (asked.Message.OptionsToRead is { } own && (own.Contains(OptionNumber.Block1) || own.Contains(OptionNumber.Block2)))
        {
            return Next.SendAsync(request, cancellationToken);
        }

        CoapMessage message = request.Message;
        if (asked.Transfer is { IsSpecial: true } || asked.Content?.Open is not null || (!message.Payload.IsEmpty && message.Payload.Length > TransferSizes.Whole(request)))
        {
            return new BlockwiseTransfer(this, request).RunAsync(null, cancellationToken);
        }

        if (TransferSizes.EarlyExponent(request) is { } exponent && !(message.HasOptions && message.OptionsToRead!.Contains(OptionNumber.QBlock2)))
        {
            message.Options.Block2 = new BlockValue(0, more: false, exponent);
        }

        Task<CoapResponse> sent = Next.SendAsync(request, cancellationToken);
        return sent.IsCompletedSuccessfully && IsComplete(message, sent.Result.Message) ? sent : CompleteAsync(request, sent, cancellationToken);
    }

    private async Task<CoapResponse> CompleteAsync(OutgoingRequest request, Task<CoapResponse> sent, CancellationToken cancellationToken)
    {
        CoapResponse response = await sent.ConfigureAwait(false);
        return IsComplete(request.Message, response.Message)
            ? response
            : await new BlockwiseTransfer(this, request).RunAsync(response, cancellationToken).ConfigureAwait(false);
    }

    // A response that ends a request of one message: nothing in it speaks of blocks.
    private static bool IsComplete(CoapMessage request, CoapMessage response) =>
        response.OptionsToRead is { } options && (options.Contains(OptionNumber.Block2) || options.Contains(OptionNumber.Block1))
            ? false
            : response.Code != CoapCode.Continue && (response.Code != CoapCode.RequestEntityTooLarge || request.Payload.Length <= 16);
}
