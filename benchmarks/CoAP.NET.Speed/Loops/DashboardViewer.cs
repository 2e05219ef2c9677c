using System.Net.Http.Json;

namespace CoAP.NET.Speed.Loops;

/// <summary>Reads the dashboard of a server as its page does: all live figures, and the table of peers every five seconds.</summary>
internal sealed class DashboardViewer : IDisposable
{
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(5);

    private readonly CancellationTokenSource _end = new();
    private readonly HttpClient _http;
    private readonly Task _looking;

    /// <param name="page">The address of the page's HTTP server.</param>
    public DashboardViewer(IPEndPoint page)
    {
        _http = new HttpClient { BaseAddress = new Uri($"http://{page}/live/"), Timeout = Timeout.InfiniteTimeSpan };
        _http.DefaultRequestHeaders.Add("X-CoAP-Explorer", "1");
        _looking = Task.WhenAll(FollowAsync(), AskAsync());
    }

    public void Dispose()
    {
        _end.Cancel();
        try
        {
            _looking.GetAwaiter().GetResult();
        }
        catch (OperationCanceledException)
        {
            // It was asked to end.
        }

        _http.Dispose();
        _end.Dispose();
    }

    private async Task FollowAsync()
    {
        using HttpRequestMessage request = new(HttpMethod.Post, "api/live") { Content = JsonContent.Create(new { }) };
        using HttpResponseMessage answer = await _http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, _end.Token);
        answer.EnsureSuccessStatusCode();
        Stream lines = await answer.Content.ReadAsStreamAsync(_end.Token);
        await lines.CopyToAsync(Stream.Null, _end.Token);
    }

    private async Task AskAsync()
    {
        while (true)
        {
            using HttpResponseMessage answer = await _http.PostAsJsonAsync("api/peers", new { }, _end.Token);
            await answer.EnsureSuccessStatusCode().Content.CopyToAsync(Stream.Null, _end.Token);
            await Task.Delay(s_pause, TimeProvider.System, _end.Token);
        }
    }
}
