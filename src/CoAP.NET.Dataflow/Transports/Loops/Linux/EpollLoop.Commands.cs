using System.Collections.Concurrent;
using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>What other threads ask of the loop: to take up and give back a transport, to look after a descriptor, and to call a clock.</summary>
internal sealed unsafe partial class EpollLoop
{
    private readonly ConcurrentQueue<Command> _commands = new();
    private readonly ConcurrentQueue<LoopFile> _calls = new();
    private int _signalled;

    /// <summary>Takes up the descriptors of a transport, to be read from.</summary>
    /// <param name="owner">The transport.</param>
    /// <param name="files">Its descriptors in this loop.</param>
    /// <param name="drivesClock">Whether the loop is to call the clock of its endpoint.</param>
    /// <returns>A task that ends when they are received from, with the clock; null when it is not called.</returns>
    public Task<LoopClock?> AttachAsync(LoopOwner owner, (LoopFile File, SafeHandle Handle)[] files, bool drivesClock) => Ask(new Command(owner, files, drivesClock, null));

    /// <summary>Sends what is batched and forgets the descriptors of a transport. May be waited for on the loop's own thread, in user code: a stand-by takes over.</summary>
    /// <param name="owner">The transport.</param>
    /// <param name="clock">The clock that <see cref="AttachAsync"/> gave.</param>
    /// <returns>A task that ends when nothing more is received from them.</returns>
    public Task DetachAsync(LoopOwner owner, LoopClock? clock) => Ask(new Command(owner, null, false, clock));

    /// <summary>Has the loop look after a descriptor soon; see <see cref="LoopFile.Attend"/>.</summary>
    public void Call(LoopFile file)
    {
        if (file.TryMarkCalled())
        {
            _calls.Enqueue(file);
            Signal();
        }
    }

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

    private Task<LoopClock?> Ask(Command command)
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

    private bool RunCommands(ReceiveRole role)
    {
        while (_commands.TryDequeue(out Command? command))
        {
            if (command.Files is { } files)
            {
                Attach(command, files);
            }
            else
            {
                Detach(command);
            }
        }

        // Only those that are there now: who calls again has others served in between.
        for (int i = _calls.Count; i > 0 && _calls.TryDequeue(out LoopFile? file); i--)
        {
            file.ClearCalled();
            if (!file.Attend(this, role))
            {
                return false;
            }
        }

        if (!_calls.IsEmpty)
        {
            Volatile.Write(ref _signalled, 1);
        }

        return true;
    }

    private void Attach(Command command, (LoopFile File, SafeHandle Handle)[] files)
    {
        foreach ((LoopFile file, SafeHandle handle) in files)
        {
            if (!TryAdd(file, handle, LibC.EpollIn))
            {
                command.Done.SetException(new CoapException("The operating system does not watch the socket; the limit of epoll watches may be reached."));
                return;
            }
        }

        command.Done.SetResult(command.DrivesClock ? _clocks.Join(command.Owner, Now) : null);
    }

    private void Detach(Command command)
    {
        // Nothing batched is left here: answers leave before commands are looked at.
        foreach (LoopFile file in _files.Of(command.Owner))
        {
            file.Detach(this);
        }

        if (command.Clock is { } clock)
        {
            _clocks.Leave(clock);
        }

        if (_active == command.Owner)
        {
            Volatile.Write(ref _active, null);
        }

        command.Done.SetResult(null);
    }

    private sealed record Command(LoopOwner Owner, (LoopFile File, SafeHandle Handle)[]? Files, bool DrivesClock, LoopClock? Clock)
    {
        public TaskCompletionSource<LoopClock?> Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
