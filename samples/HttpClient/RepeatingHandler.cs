using System.Net;

namespace HttpClientSample;

/// <summary>Asks again when the device is busy: what one has a resilience library for.</summary>
/// <param name="attempts">How often a request is sent at most.</param>
internal sealed class RepeatingHandler(int attempts) : DelegatingHandler
{
    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        for (int attempt = 1; ; attempt++)
        {
            HttpResponseMessage response = await base.SendAsync(request, cancellationToken);
            if (response.StatusCode != HttpStatusCode.ServiceUnavailable || attempt == attempts)
            {
                return response;
            }

            TimeSpan wait = response.Headers.RetryAfter?.Delta ?? TimeSpan.FromSeconds(1);
            response.Dispose();
            Console.WriteLine($"busy; once more in {wait.TotalSeconds} s");
            await Task.Delay(wait, TimeProvider.System, cancellationToken);
        }
    }
}
