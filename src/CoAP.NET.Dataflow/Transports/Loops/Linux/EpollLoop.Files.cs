using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>Which descriptors the loop watches, and for what.</summary>
internal sealed unsafe partial class EpollLoop
{
    private readonly LoopFiles _files = new();

    /// <summary>Begins to watch a descriptor. Only for the thread that holds the role.</summary>
    /// <param name="file">What it belongs to; gets its <see cref="LoopFile.Id"/>.</param>
    /// <param name="handle">The descriptor.</param>
    /// <param name="events">For what.</param>
    /// <returns>Whether the operating system does so.</returns>
    public bool TryAdd(LoopFile file, SafeHandle handle, uint events)
    {
        _files.Add(file);
        if (Control(LibC.EpollAdd, handle, events, file.Id))
        {
            return true;
        }

        _files.Remove(file);
        return false;
    }

    /// <summary>Changes what a descriptor is watched for. For all threads, while it cannot be closed.</summary>
    public void Change(LoopFile file, SafeHandle handle, uint events) => Control(LibC.EpollModify, handle, events, file.Id);

    /// <summary>Ceases to watch a descriptor. Only for the thread that holds the role, before it is closed.</summary>
    public void Remove(LoopFile file, SafeHandle handle)
    {
        if (!handle.IsClosed)
        {
            Control(LibC.EpollRemove, handle, 0, file.Id);
        }

        _files.Remove(file);
    }

    /// <summary>Whether a descriptor is still the one that is watched.</summary>
    /// <returns>0, or why not.</returns>
    public int Check(LoopFile file, SafeHandle handle, uint events)
    {
        try
        {
            return Control(LibC.EpollModify, handle, events, file.Id) ? 0 : Marshal.GetLastPInvokeError();
        }
        catch (ObjectDisposedException)
        {
            // Closed by us just now.
            return 0;
        }
    }

    private void CheckFiles()
    {
        foreach (LoopFile? file in _files.Slots)
        {
            if (file?.Check(this) is { } error and not 0)
            {
                // Ends the endpoint on another thread; the loop hears of it later.
                file.OnLost(error);
            }
        }
    }

    private bool Control(int operation, SafeHandle handle, uint events, long id)
    {
        byte* at = stackalloc byte[16];
        EpollEvent.Write(at, events, id);
        return LibC.ControlEpoll(_epoll, operation, handle, at) == 0;
    }
}
