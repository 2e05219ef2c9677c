using CoAP.NET.Requests;

namespace CoAP.NET.Tests.Requests;

/// <summary>Responses that are held if they are small and read as a stream if they are large.</summary>
public sealed class OpenedResponseTests
{
    [Fact]
    public async Task OpenResponseAsync_completes_a_small_response_synchronously()
    {
        BlockingClient requester = new();
        Task<CoapOpenedResponse> opening = requester.OpenResponseAsync(new CoapRequest(CoapMethod.Get, "coap://[::1]/x"), 1000);
        Assert.False(opening.IsCompleted);

        // As on a thread that receives; with a context that of the tests would be waited for.
        SynchronizationContext.SetSynchronizationContext(null);
        requester.Response.SetResult(CoapResponse.None(default));

        Assert.True(opening.IsCompletedSuccessfully);
        Assert.Null((await opening).Body);
    }

    [Fact]
    public async Task Cancelling_the_opening_before_the_response_cancels_the_request()
    {
        using CancellationTokenSource leaving = new();
        BlockingClient requester = new();
        Task<CoapOpenedResponse> opening = requester.OpenResponseAsync(
            new CoapRequest(CoapMethod.Get, "coap://[::1]/x"), 1000, leaving.Token);

        await leaving.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => opening);
        Assert.True(requester.Cancellation.IsCancellationRequested);
    }

    private sealed class BlockingClient : ICoapClient
    {
        public TaskCompletionSource<CoapResponse> Response { get; } = new();

        public CancellationToken Cancellation { get; private set; }

        public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
        {
            Cancellation = cancellationToken;
            cancellationToken.Register(() => Response.TrySetCanceled(cancellationToken));
            return Response.Task;
        }

        public Task<CoapObservation> ObserveAsync(
            CoapRequest request, CoapObservationOptions? options = null, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();
    }
}
