using System.Net;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;
using CoAP.NET.Tests.Testing;

namespace CoAP.NET.Tests.Groups;

/// <summary>The snippets of docs/groups.md, so that they compile and do what the page says.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class GroupsDocumentationTests : GuideTest
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("groups.md", "Groups", 6);

    [Fact]
    public void Servers_join_groups()
    {
        server.Listen("coap://[::]:5683").JoinGroups();

        CoapGroupOptions group = new() { GroupSize = 200, ResponseRate = 5000 };
        group.Addresses.Add(IPAddress.Parse("ff02::1234"));
        group.Interfaces.Add("eth0");
        server.JoinGroups(group);
        Assert.NotNull(server.Endpoint.Core.Groups.Options);
    }

    [Fact]
    public void SharePort_allows_another_program_on_the_port_of_a_group()
    {
        server.Listen("coap://0.0.0.0:5683").JoinGroups(new CoapGroupOptions { SharePort = true });
        Assert.NotNull(server.Endpoint.Core.Groups.Options);
    }

    [Fact]
    public async Task A_client_discovers_group_members_and_requests_a_resource_of_each()
    {
        server.MapGet("/temperature", () => CoapResults.Text("21.5 C")).AllowMulticast();
        server.MapGet("/listed", () => CoapResults.Text("22 C")).WithResourceType("temperature-c");
        server.JoinGroups();
        await StartAsync("[2001:db8::1]:5683");
        JoinGroup("[2001:db8::1]:5683", "224.0.1.187:5683");
        JoinGroup("[2001:db8::1]:5683", "[ff02::fd]:5683");
        await RunAsync(async () =>
        {
            await foreach (CoapGroupMemberLinks found in client.DiscoverGroupAsync("coap://224.0.1.187", "rt=temperature*",
                TimeSpan.FromSeconds(10)))
            {
                CoapResponse state = await found.Peer.GetAsync(found.Links[0].Target);
            }

            await foreach (CoapGroupResponse answer in client.GetFromGroupAsync("coap://[ff02::fd]/temperature", TimeSpan.FromSeconds(10)))
            {
                Console.WriteLine($"{answer.Uri}: {answer.Response.GetText()}");
            }
        });
        Assert.Equal(3, server.Counters[CoapCounter.RequestsReceived]);
        Assert.Equal(0, server.Counters[CoapCounter.GroupAnswersKeptBack]);
    }

    [Fact]
    public async Task A_client_without_multicast_requests_each_address_of_a_network()
    {
        server.MapGet("/temperature", () => CoapResults.Text("21.5 C")).WithResourceType("temperature-c");
        await StartAsync("192.0.2.7:5683");
        await RunAsync(async () =>
        {
            List<string> found = [];
            client.Timeout = TimeSpan.FromSeconds(3);
            ParallelOptions parallel = new() { MaxDegreeOfParallelism = 64 };
            await Parallel.ForAsync(1, 255, parallel, async (host, cancellationToken) =>
            {
                string device = $"coap://192.0.2.{host}";
                try
                {
                    foreach (CoapLink link in await client.DiscoverAsync(device, "rt=temperature*", cancellationToken))
                    {
                        lock (found)
                        {
                            found.Add($"{device}{link.Target}");
                        }
                    }
                }
                catch (CoapException)
                {
                    // Nothing answers there.
                }
            });
            Assert.Equal("coap://192.0.2.7/temperature", Assert.Single(found));
        });
    }
}
