using System.Threading.Channels;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests;

namespace CoAP.NET.ResourceDirectory.Tests.Processes;

/// <summary>A directory in a process of its own that is killed, and starts again with its file.</summary>
/// <remarks>Real clock: the directory is a process of its own.</remarks>
[External("dotnet")]
public sealed class KilledDirectoryTests : FolderTest
{
    private const int Endpoints = 20;

    private readonly string _secret = Convert.ToHexString(CoapSealedClusterStore.NewSecret());

    [Fact]
    public async Task Registrations_survive_two_kills_and_lookup_observers_are_notified_without_registering_again()
    {
        int attempts = 0;
        await Eventually.BindsAgainAsync(() => KillTwiceAsync(Path.Combine(Folder, $"coap-{++attempts}.db")));
    }

    private async Task KillTwiceAsync(string file)
    {
        await using CoapClient devices = new();
        await using CoapClient watcher = new();
        DirectoryNodeProcess node = await DirectoryNodeProcess.StartAsync(file, 0, _secret);
        try
        {
            Channel<string> told = Channel.CreateUnbounded<string>();
            await using CoapObservation observation = await watcher.ObserveAsync(
                new CoapRequest(CoapMethod.Get, node.Uri + "/rd-lookup/res?rt=light"),
                new CoapObservationOptions { OnNotification = response => told.Writer.TryWrite(response.GetText()) });
            Assert.Equal("", await told.Reader.ReadAsync());
            while ((await node.AskAsync(devices)).Observers == 0)
            {
                await Task.Yield();
            }

            List<string> locations = [];
            for (int kill = 1; kill <= 2; kill++)
            {
                for (int i = 0; i < Endpoints; i++)
                {
                    locations.Add(await RegisterAsync(devices, node, $"n{locations.Count}"));
                }

                // What was answered a moment ago is in the file.
                node.Kill();
                node.Dispose();
                node = await DirectoryNodeProcess.StartAsync(file, node.Port, _secret);
                Assert.Equal((1, 0, locations.Count), await node.AskAsync(devices));
                string before = (await devices.GetAsync($"{node.Uri}/rd-lookup/res?rt=light")).GetText();
                Assert.Equal(locations.Count, CoapLinkFormat.Parse(before).Count);

                locations.Add(await RegisterAsync(devices, node, $"n{locations.Count}"));
                string after = (await devices.GetAsync($"{node.Uri}/rd-lookup/res?rt=light")).GetText();
                while (await told.Reader.ReadAsync() != after)
                {
                    // States before it.
                }

                Assert.Equal((1, 0, locations.Count), await node.AskAsync(devices));
            }

            Assert.Equal(0, watcher.Endpoint.Counters[CoapCounter.Reregistrations]);
            Assert.Equal(locations.Count, locations.Distinct().Count());
            foreach (string location in locations)
            {
                await devices.DeleteAsync(node.Uri + location).Gives(CoapCode.Deleted);
            }

            while (await told.Reader.ReadAsync() != "")
            {
                // States before it.
            }
        }
        finally
        {
            node.Dispose();
        }
    }

    private static async Task<string> RegisterAsync(CoapClient client, DirectoryNodeProcess node, string name)
    {
        CoapResponse response = await client.SendAsync(new CoapRequest(CoapMethod.Post, $"{node.Uri}/rd?ep={name}&base=coap://{name}")
        {
            Content = new CoapContent("</1>;rt=light"u8.ToArray(), CoapContentFormat.LinkFormat),
        });
        Assert.True(response.Code == CoapCode.Created, $"{response.Code} {response.GetText()}");
        return DirectoryWorld.LocationOf(response);
    }
}
