namespace CoAP.NET.Tests.Messaging;

/// <summary>A server that answers everything at once with a payload of some size, and counts how often each message was handled.</summary>
internal sealed class MemoryRig
{
    private readonly int _payload;

    public MemoryRig(CoapLimits limits, int payload = 16, int shardCount = 1)
    {
        _payload = payload;
        Rig = new MessagingRig(limits, shardCount: shardCount);
        Rig.Handle = item =>
        {
            if (item.Received is { } received)
            {
                (ushort, ushort) key = (item.Channel.Remote.Port, received.MessageId);
                Runs[key] = Runs.GetValueOrDefault(key) + 1;
                Rig.Reply(item, new CoapMessage(CoapCode.Changed) { Payload = new byte[_payload] });
            }
        };
    }

    public MessagingRig Rig { get; }

    public Dictionary<(ushort Port, ushort Mid), int> Runs { get; } = [];

    /// <summary>Sends a Confirmable request.</summary>
    public void Send(CoapChannel channel, CoapCode code, int mid) => SendAndIsRefused(channel, code, mid);

    /// <summary>Sends a Confirmable request, and returns whether it was answered 5.03.</summary>
    public bool SendAndIsRefused(CoapChannel channel, CoapCode code, int mid)
    {
        Rig.Sent.Clear();
        Rig.Up.Clear();
        Rig.Receive(channel, $"40{code.Value:x2}{mid:x4}");
        Assert.InRange(Rig.Layer.Memory.Bytes, 0, Rig.Environment.Limits.Deduplication.Memory);
        Assert.InRange(Rig.Layer.Memory.NewcomerBytes, 0, Rig.Environment.Limits.Peers.NewcomerMemory);
        return Assert.Single(Rig.Sent).Hex[2..4] == "a3";
    }

    /// <summary>Whether a repetition is answered without running it.</summary>
    public bool Remembers(CoapChannel channel, CoapCode code, int mid)
    {
        int before = Runs.GetValueOrDefault((channel.Remote.Port, (ushort)mid));
        Assert.False(SendAndIsRefused(channel, code, mid));
        return Runs.GetValueOrDefault((channel.Remote.Port, (ushort)mid)) == before;
    }
}
