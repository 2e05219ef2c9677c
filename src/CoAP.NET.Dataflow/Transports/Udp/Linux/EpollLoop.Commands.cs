using System.Collections.Concurrent;

namespace CoAP.NET.Transports;

/// <summary>What other threads ask of the loop: to take up and give back the sockets of a transport, and to call a clock.</summary>
internal sealed unsafe partial class EpollLoop
{
    private readonly ConcurrentQueue<Command> _commands = new();
    private int _signalled;

    /// <summary>Takes up the sockets of a transport.</summary>
    /// <param name="owner">The transport's engine.</param>
    /// <param name="sockets">Its sockets in this loop.</param>
    /// <param name="clock">Its clock; null when another loop drives it, or none.</param>
    /// <returns>A task that ends when they are received from.</returns>
    public Task AttachAsync(LinuxUdpEngine owner, LinuxUdpSocket[] sockets, LoopClock? clock) => Ask(new Command(owner, sockets, clock));

    /// <summary>Sends what is batched and closes the sockets of a transport. May be waited for on the loop's own thread, in user code: a stand-by takes over.</summary>
    /// <param name="owner">The transport's engine.</param>
    /// <param name="clock">Its clock.</param>
    /// <returns>A task that ends when nothing more is received from them.</returns>
    public Task DetachAsync(LinuxUdpEngine owner, LoopClock? clock) => Ask(new Command(owner, null, clock));

    public void Wake(LoopClock clock)
    {
        _clocks.Wake(clock);
        Signal();
    }

    /// <summary>Has the loop look at its commands and clocks before it waits again.</summary>
    public void Signal()
    {
        if (Interlocked.Exchange(ref _signalled, 1) != 0)
        {
            return;
        }

        // The thread with the role looks by itself before it waits. Asked after the mark was set: if the role is taken after that, the new holder sees the mark.
        if (UserCode.Role is ReceiveRole role && role.Loop == this && role.IsHeld)
        {
            return;
        }

        ulong one = 1;
        try
        {
            _ = LibC.Write(_event, &one, sizeof(ulong));
        }
        catch (ObjectDisposedException)
        {
            // The loop has ended; there is nobody to wake.
        }
    }

    private Task Ask(Command command)
    {
        _commands.Enqueue(command);
        Signal();
        return command.Done.Task;
    }

    private void DrainEvent()
    {
        ulong count;
        _ = LibC.Read(_event, &count, sizeof(ulong));
    }

    private void RunCommands()
    {
        while (_commands.TryDequeue(out Command? command))
        {
            if (command.Sockets is { } sockets)
            {
                Attach(command, sockets);
            }
            else
            {
                Detach(command);
            }
        }
    }

    private void Attach(Command command, LinuxUdpSocket[] sockets)
    {
        foreach (LinuxUdpSocket socket in sockets)
        {
            socket.Id = ++_lastId;
            if (!Control(LibC.EpollAdd, socket.Handle, socket.Id))
            {
                command.Done.SetException(new CoapException("The operating system does not watch the socket; the limit of epoll watches may be reached."));
                return;
            }

            _sockets.Add(socket.Id, socket);
        }

        if (command.Clock is { } clock)
        {
            _clocks.Schedule(clock, Now);
        }

        command.Done.SetResult();
    }

    private void Detach(Command command)
    {
        // Nothing batched is left here: answers leave before commands are looked at.
        foreach ((long id, LinuxUdpSocket socket) in _sockets)
        {
            if (socket.Owner == command.Owner)
            {
                Control(LibC.EpollRemove, socket.Handle, id);
                _sockets.Remove(id);
            }
        }

        if (command.Clock is { } clock)
        {
            clock.IsRemoved = true;
        }

        if (_active == command.Owner)
        {
            Volatile.Write(ref _active, null);
        }

        _isOver |= _shared is null;
        command.Done.SetResult();
    }

    private sealed record Command(LinuxUdpEngine Owner, LinuxUdpSocket[]? Sockets, LoopClock? Clock)
    {
        public TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
