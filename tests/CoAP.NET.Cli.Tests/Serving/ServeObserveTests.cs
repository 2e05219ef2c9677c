using System.Threading.Channels;

namespace CoAP.NET.Cli.Tests.Serving;

public sealed class ServeObserveTests
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Fact]
    public async Task Observers_are_notified_of_changes_of_a_file_until_it_is_removed()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync("--write", "--check", "50ms");
        await using CoapClient client = new();
        (CoapObservation observation, ChannelReader<CoapResponse> came) = await ObserveAsync(client, $"{folder.Uri}/hello.txt");
        await using (observation)
        {
            await ReadAsync(came, _ => true).Says("hello");

            await File.WriteAllTextAsync(folder.PathOf("hello.txt"), "by hand");
            await ReadAsync(came, response => response.GetText() == "by hand").Says("by hand");

            await client.PutAsync($"{folder.Uri}/hello.txt", CoapContent.Text("by PUT"));
            await ReadAsync(came, response => response.GetText() == "by PUT").Says("by PUT");

            File.Delete(folder.PathOf("hello.txt"));
            await ReadAsync(came, response => response.Code == CoapCode.NotFound).Gives(CoapCode.NotFound);
        }
    }

    [Fact]
    public async Task Observers_of_a_folder_are_notified_of_a_new_file()
    {
        await using ServedFolder folder = await ServedFolder.StartAsync("--check", "50ms");
        await using CoapClient client = new();
        (CoapObservation observation, ChannelReader<CoapResponse> came) = await ObserveAsync(client, $"{folder.Uri}/sub/");
        await using (observation)
        {
            await ReadAsync(came, _ => true);

            await File.WriteAllTextAsync(folder.PathOf("sub/more.txt"), "x");

            (await ReadAsync(came, response => response.GetText().Contains("more"))).GetText().Mentions("</sub/more.txt>");
        }
    }

    private static async Task<(CoapObservation Observation, ChannelReader<CoapResponse> Came)> ObserveAsync(CoapClient client, string uri)
    {
        Channel<CoapResponse> came = Channel.CreateUnbounded<CoapResponse>();
        CoapObservation observation = await client.ObserveAsync(new CoapRequest(CoapMethod.Get, uri),
            response => came.Writer.TryWrite(response));
        Assert.Equal(CoapObserveState.Observing, observation.State);
        return (observation, came.Reader);
    }

    // A file that is written in two steps may be told of in between.
    private static async Task<CoapResponse> ReadAsync(ChannelReader<CoapResponse> came, Func<CoapResponse, bool> isIt)
    {
        using CancellationTokenSource hang = new(s_hang);
        await foreach (CoapResponse response in came.ReadAllAsync(hang.Token))
        {
            if (isIt(response))
            {
                return response;
            }
        }

        throw new InvalidOperationException("The observation ended.");
    }
}
