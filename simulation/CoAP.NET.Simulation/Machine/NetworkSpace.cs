using System.Diagnostics;

namespace CoAP.NET.Simulation.Machine;

/// <summary>
/// A thread in a network of its own: sockets that it opens and programs that it starts see the interfaces of that network only.
/// </summary>
internal sealed class NetworkSpace : IDisposable
{
    private readonly BlockingCollection<Action> _work = [];
    private int _id;

    /// <summary>Makes one.</summary>
    /// <param name="isOwn">Whether it is the network in which the process began. A thread begins in the network of the one that made it, so
    /// this is asked for before any other.</param>
    public NetworkSpace(bool isOwn = false) => Do(() =>
    {
        if (!isOwn && !MachineLibC.TryEnterNewNetwork())
        {
            throw new InvalidOperationException("A network of its own is not allowed here.");
        }

        _id = MachineLibC.ThreadId();
        return true;
    });

    /// <summary>
    /// Two networks with a link between them, each end with an address: <c>v0</c> here, in the network of the process, <c>v1</c> there.
    /// </summary>
    public static (NetworkSpace Here, NetworkSpace There) Pair(string here, string there)
    {
        (NetworkSpace Here, NetworkSpace There) pair = (new NetworkSpace(isOwn: true), new NetworkSpace());
        pair.Here.Shell(
            $"ip link set lo up; ip link add v0 type veth peer name v1; ip link set v1 netns {pair.There._id}; {Up("v0", here)}");
        pair.There.Shell($"ip link set lo up; {Up("v1", there)}");
        return pair;
    }

    /// <summary>Makes the link once more, after it was deleted.</summary>
    public static void Connect((NetworkSpace Here, NetworkSpace There) pair, string here, string there)
    {
        pair.Here.Shell($"ip link add v0 type veth peer name v1; ip link set v1 netns {pair.There._id}; {Up("v0", here)}");
        pair.There.Shell(Up("v1", there));
    }

    /// <summary>Runs something on the thread.</summary>
    public T Do<T>(Func<T> what)
    {
        TaskCompletionSource<T> done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        if (_work.Count == 0 && _id == 0)
        {
            new Thread(Run) { IsBackground = true, Name = "network" }.Start();
        }

        _work.Add(() =>
        {
            try
            {
                done.SetResult(what());
            }
            // Goes to who asked.
            catch (Exception exception)
            {
                done.SetException(exception);
            }
        });
        return done.Task.GetAwaiter().GetResult();
    }

    /// <summary>Runs something on the thread that waits inside.</summary>
    public void Wait(Func<Task> what) => Do(() =>
    {
        what().GetAwaiter().GetResult();
        return true;
    });

    /// <summary>Runs commands in the network.</summary>
    public void Shell(string commands) => Do(() =>
    {
        ProcessStartInfo info = new("/bin/sh") { RedirectStandardError = true };
        info.ArgumentList.Add("-ec");
        info.ArgumentList.Add(commands);
        using Process process = Process.Start(info)!;
        string error = process.StandardError.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode == 0 ? true : throw new InvalidOperationException($"{commands}: {error}");
    });

    public void Dispose() => _work.CompleteAdding();

    private static string Up(string name, string address) =>
        $"ip addr add {address}{(address.Contains(':') ? "/64 nodad" : "/24")} dev {name}; ip link set {name} up";

    private void Run()
    {
        foreach (Action work in _work.GetConsumingEnumerable())
        {
            work();
        }
    }
}
