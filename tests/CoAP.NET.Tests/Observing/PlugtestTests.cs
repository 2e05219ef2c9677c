namespace CoAP.NET.Tests.Observing;

/// <summary>The Observe cases of the ETSI plugtests (TD_COAP_OBS) against a server, in raw bytes. The resources are those of its test server.</summary>
public sealed class PlugtestTests : ObservingTest
{
    private const string Register1 = "41017d344a60536f6273";

    [Fact]
    [Rfc("7641-4.1-1", "7641-4.2-1", "7641-4.4-1")]
    public async Task OBS_01_Confirmable_notifications()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Assert.Matches("^61457d344a63......60220258ff30$", Exchange(Register1));
        for (int i = 1; i <= 3; i++)
        {
            Pass(5);
            string sent = Notify(route, $"{i}");
            Assert.Matches($"^4145....4a63......60220258ff3{i}$", sent);
            Transport.Receive(Peer, $"6000{sent[4..8]}");
        }

        Pass(300);
        Assert.Empty(Transport.TakeSent());
    }

    [Fact]
    [Rfc("7641-4.5.1-2")]
    public async Task OBS_02_Non_confirmable_notifications()
    {
        CoapRouteHandlerBuilder route = MapState("/obs-non", CoapNotificationMode.NonConfirmable);
        await StartAsync();
        string answer = Exchange("51017d344a60576f62732d6e6f6e");
        Assert.Matches("^5145....4a63......60220258ff30$", answer);
        for (int i = 1; i <= 3; i++)
        {
            Pass(5);
            Assert.Matches($"^5145....4a63......60220258ff3{i}$", Notify(route, $"{i}"));
        }
    }

    [Fact]
    [Rfc("7641-4.1-2")]
    public async Task OBS_04_A_client_registers_again_after_the_server_has_lost_its_state()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Exchange(Register1);
        Server.Endpoint.Pipelines[0].Observers.RemoveAll();
        route.Notify();
        Pass(620);
        Assert.Empty(Transport.TakeSent());
        Assert.Matches("^61457d354a63......60220258ff30$", Exchange("41017d354a60536f6273"));
        Assert.Matches("^4145....4a63......60220258ff31$", Notify(route, "1"));
    }

    [Fact]
    [Rfc("7641-4.5-2")]
    public async Task OBS_05_A_client_that_is_off_is_removed()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Exchange(Register1);
        string first = Notify(route, "1");
        Pass(100);
        Assert.Equal(Enumerable.Repeat(first, 4), Transport.TakeSent());
        AssertNobody();
    }

    [Fact]
    [Rfc("7641-4.5-2")]
    public async Task OBS_06_A_client_that_restarted_rejects_and_is_removed()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Exchange(Register1);
        string first = Notify(route, "1");
        Transport.Receive(Peer, $"7000{first[4..8]}");
        AssertNobody();
        route.Notify();
        Pass(100);
        Assert.Empty(Transport.TakeSent());
    }

    [Fact]
    [Rfc("7641-4.2-2")]
    public async Task OBS_07_A_resource_that_is_deleted()
    {
        bool exists = true;
        Server.MapGet("/obs", () => exists ? CoapResults.Text("0") : CoapResults.NotFound()).Observable();
        Server.MapDelete("/obs", () =>
        {
            exists = false;
            return CoapResults.Deleted();
        });
        await StartAsync();
        Exchange(Register1);
        Transport.Receive(Other, "40047d36b36f6273");
        Settle();
        string[] sent = Transport.TakeSent();
        Assert.Equal("60427d36", sent[0]);
        Assert.Matches("^4184....4a$", Assert.Single(sent[1..]));
        AssertNobody();
        Transport.Receive(Peer, $"6000{sent[1][4..8]}");
        Pass(100);
        Assert.Empty(Transport.TakeSent());
    }

    [Fact]
    [Rfc("7641-4.2-2")]
    public async Task OBS_07_A_route_that_is_removed()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Exchange(Register1);
        Assert.True(route.Unmap());
        Assert.Matches("^4184....4a$", Assert.Single(Transport.TakeSent()));
        AssertNobody();
    }

    [Fact]
    [Rfc("7641-4.2-3")]
    public async Task OBS_08_A_resource_that_changes_its_Content_Format()
    {
        CoapContentFormat format = CoapContentFormat.TextPlain;
        CoapRouteHandlerBuilder route = Server.MapGet("/obs", () => new CoapResult(CoapCode.Content, "0"u8.ToArray(), format)).Observable();
        await StartAsync();
        Exchange(Register1);
        format = CoapContentFormat.OctetStream;
        string last = Notify(route, "1");
        Assert.Matches("^4186....4a$", last);
        AssertNobody();
    }

    [Fact]
    [Rfc("7641-4.1-1")]
    public async Task OBS_09_A_value_that_is_updated_by_PUT()
    {
        CoapRouteHandlerBuilder route = MapState();
        Server.MapPut("/obs", request =>
        {
            State = request.GetText();
            route.Notify();
            return CoapResults.Changed();
        });
        await StartAsync();
        Exchange(Register1);
        Transport.Receive(Other, "40037d36b36f627310ff37");
        Settle();
        string[] sent = Transport.TakeSent();
        Assert.Equal("60447d36", sent[0]);
        Assert.Matches("^4145....4a63......60220258ff37$", Assert.Single(sent[1..]));
    }

    [Fact]
    [Rfc("7641-4.1-5")]
    public async Task OBS_10_A_plain_request_does_not_cancel()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Exchange(Register1);
        Assert.Equal("61457d354bc0ff30", Exchange("41017d354bb36f6273"));
        Assert.Matches("^4145....4a63......60220258ff31$", Notify(route, "1"));
    }

    [Fact]
    [Rfc("7641-4.5.1-1")]
    public async Task OBS_11_Never_two_notifications_in_flight()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Exchange(Register1);
        HashSet<string> unacknowledged = [];
        for (int i = 1; i <= 60; i++)
        {
            State = $"{i % 10}";
            route.Notify();
            Pass(0.3);
            foreach (string sent in Transport.TakeSent())
            {
                unacknowledged.Add(sent[4..8]);
                if (unacknowledged.Count == 3)
                {
                    // Two were lost; this one arrives, and only now another may follow.
                    Transport.Receive(Peer, $"6000{sent[4..8]}");
                    unacknowledged.Clear();
                }
            }

            Assert.InRange(Server.Endpoint.Pipelines[0].Messages.Outstanding, 0, 1);
        }
    }

    [Fact]
    [Rfc("7641-4.1-4")]
    public async Task OBS_12_Observe_1_cancels()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Exchange(Register1);
        Assert.Equal("61457d354ac0ff30", Exchange("41017d354a6101536f6273"));
        route.Notify();
        Pass(100);
        Assert.Empty(Transport.TakeSent());
        AssertNobody();
    }

    private string Notify(CoapRouteHandlerBuilder route, string state)
    {
        Transport.TakeSent();
        Change(route, state);
        return Assert.Single(Transport.TakeSent());
    }
}
