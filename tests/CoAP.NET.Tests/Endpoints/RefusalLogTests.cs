using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>The log of requests whose arguments are missing or malformed.</summary>
public sealed class RefusalLogTests : EndpointTest
{
    private const int ArgumentRefused = 1520;

    [Fact]
    public async Task Each_refused_request_is_logged_once_until_a_flood_of_them_is_only_counted()
    {
        Server.MapGet("/r", request => CoapResults.Refuse(request, "The request lacks 'x'."));
        await StartAsync();
        for (int i = 0; i < 70; i++)
        {
            Ask(i);
        }

        Assert.Equal(60, Logged().Count);
        Assert.All(Logged(), static entry => Assert.Equal(LogLevel.Information, entry.Level));
        Logged()[0].Text.Mentions("was refused: The request lacks 'x'. 0 more were not logged");
        Assert.Equal(70, Server.Counters["ArgumentsRefused"]);

        Clock.Advance(FromMinutes(1));
        Ask(70);
        Logged()[^1].Text.Mentions("10 more were not logged");

        void Ask(int id) => Exchange($"4001{id:x4}b172").Begins("6080");
        List<(LogLevel Level, EventId Id, string Text)> Logged() => [.. Logs.Entries.Where(static entry => entry.Id == ArgumentRefused)];
    }
}
