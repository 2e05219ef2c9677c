namespace CoAP.NET.Requesting;

/// <summary>
/// The short way of requests that nothing has to be done for, which are nearly all: sent at once by the last step, without a wait in any of them. Whoever takes the response has
/// the steps look at it; one that has something to do about it goes on from there.
/// </summary>
/// <param name="steps">The steps below, in their order, without the last one.</param>
/// <param name="last">The step that sends.</param>
internal sealed class PlainStep(RequestStep[] steps, RequestStep last) : RequestStep
{
    public override Task<CoapResponse> SendAsync(OutgoingRequest request, CancellationToken cancellationToken)
    {
        foreach (RequestStep step in steps)
        {
            if (step.MustSend(request))
            {
                return Next.SendAsync(request, cancellationToken);
            }
        }

        request.Plain = this;
        return last.SendAsync(request, cancellationToken);
    }

    /// <summary>Whether any step has something to do about a response.</summary>
    public bool IsOfConcern(OutgoingRequest request, CoapResponse response)
    {
        foreach (RequestStep step in steps)
        {
            if (step.Concerns(request, response))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Has the steps do what is to be done about a response.</summary>
    public async Task<CoapResponse> ReviewAsync(OutgoingRequest request, CoapResponse response, CancellationToken cancellationToken)
    {
        // From the bottom up: each step sees what came of those below.
        for (int i = steps.Length - 1; i >= 0; i--)
        {
            if (steps[i].Concerns(request, response))
            {
                response = await steps[i].CompleteAsync(request, response, cancellationToken).ConfigureAwait(false);
            }
        }

        return response;
    }
}
