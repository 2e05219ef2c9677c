using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Transports.Streams;

// RFC 8323 section 7.1, in the role of a client.
public class ObservingOverStreamsTests : ScriptedServerTest
{
    [Fact]
    [Rfc("8323-7.1-1", "7641-8323-1")]
    public async Task Notifications_on_a_connection_are_delivered_in_order_of_arrival()
    {
        List<string> came = [];
        TaskCompletionSource all = new(RunContinuationsAsynchronously);
        Answer = request => Notification(request.Token, "05", "0");
        CoapPeer peer = await ConnectAsync("50e12310000020");
        CoapObservationOptions options = new()
        {
            OnNotification = response =>
            {
                lock (came)
                {
                    came.Add(response.GetText());
                    if (came.Count == 5)
                    {
                        all.TrySetResult();
                    }
                }
            },
        };
        await using CoapObservation observation = await Within(peer.ObserveAsync(new CoapRequest(CoapMethod.Get, "/obs"), options));
        CoapToken token = Requests[0].Token;

        // Lower, equal, empty (TM-25), more than half of the numbers away.
        foreach ((string number, string text) in (ReadOnlySpan<(string, string)>)[("04", "1"), ("04", "2"), (string.Empty, "3"),
            ("900000", "4")])
        {
            Connection.Receive(Frames.Write(Notification(token, number, text)));
        }

        await all.Task.WaitAsync(FromMinutes(2));
        Assert.Equal(["0", "1", "2", "3", "4"], came);
        Assert.Equal(0, Endpoint.Counters[CoapCounter.NotificationsOutOfOrder]);
    }

    private static CoapMessage Notification(CoapToken token, string number, string text)
    {
        CoapMessage message = new(CoapCode.Content) { Token = token, Payload = Encoding.UTF8.GetBytes(text) };
        message.Options.Add(OptionNumber.Observe, Wire.Hex(number));
        return message;
    }
}
