using System.Net;
using System.Net.Sockets;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

/// <summary>How many turns of a loop share one reading of the clock.</summary>
public sealed class LoopTimeTests
{
    private const int Readings = 10;

    [LinuxFact]
    public async Task As_many_turns_share_one_reading_of_the_clock_as_the_policy_says()
    {
        LoopTestContext context = new();
        LoopOwner owner = new(context, Timeout.InfiniteTimeSpan);
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        socket.SendTo([1], socket.LocalEndPoint!);
        AlwaysReady file = new(owner, socket);
        EpollLoop loop = new(context.Scheduler, 0, null);
        Assert.True(loop.TryStart());

        await loop.AttachAsync(owner, [(file, socket.SafeHandle)], drivesClock: false).WaitAsync(HangGuard.InMemory);
        List<int> sharing = await file.Done.Task.WaitAsync(HangGuard.InMemory);
        loop.End();

        Assert.Equal(Enumerable.Repeat(UserCodePolicy.TurnsOfOneTime, Readings), sharing);
    }

    /// <summary>A descriptor that wants another turn after each one, and asks for the time in each.</summary>
    private sealed class AlwaysReady(LoopOwner owner, Socket socket) : LoopFile(owner)
    {
        private readonly List<int> _sharing = [];

        /// <summary>Of each reading of the clock, the number of turns that share it.</summary>
        public TaskCompletionSource<List<int>> Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public override bool Serve(EpollLoop loop, ReceiveRole role)
        {
            loop.BeginSharingTime(Owner);
            if (_sharing.Count == 0)
            {
                StageTime.Begin();
            }

            if (StageTime.TryGet(out _))
            {
                _sharing[^1]++;
            }
            else if (_sharing.Count == Readings)
            {
                loop.Remove(this, socket.SafeHandle);
                Done.TrySetResult(_sharing);
                return true;
            }
            else
            {
                StageTime.Keep(123_456);
                _sharing.Add(1);
            }

            loop.MakeReady(this);
            return true;
        }

        public override void Detach(EpollLoop loop)
        {
        }
    }
}
