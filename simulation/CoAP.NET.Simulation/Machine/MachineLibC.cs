using System.Runtime.InteropServices;

namespace CoAP.NET.Simulation.Machine;

/// <summary>The calls by which a process harms itself.</summary>
internal static partial class MachineLibC
{
    private const int NewNetwork = 0x40000000;

    /// <summary>Takes all descriptors that are left.</summary>
    /// <returns>Them.</returns>
    public static Stack<int> TakeDescriptors()
    {
        Stack<int> taken = new();
        for (int descriptor = dup(0); descriptor >= 0; descriptor = dup(0))
        {
            taken.Push(descriptor);
        }

        return taken;
    }

    /// <summary>Gives some back.</summary>
    public static void GiveBack(Stack<int> taken, int count)
    {
        while (count-- > 0 && taken.TryPop(out int descriptor))
        {
            _ = close(descriptor);
        }
    }

    /// <summary>Closes a descriptor whoever has it.</summary>
    public static void Close(int descriptor) => _ = close(descriptor);

    /// <summary>Puts the thread that calls, and what it opens or starts from now on, into a network of its own.</summary>
    /// <returns>Whether that is allowed.</returns>
    public static bool TryEnterNewNetwork() => unshare(NewNetwork) == 0;

    /// <summary>The number by which the system knows the thread that calls.</summary>
    public static int ThreadId() => gettid();

    [LibraryImport("libc")]
    private static partial int dup(int descriptor);

    [LibraryImport("libc")]
    private static partial int close(int descriptor);

    [LibraryImport("libc")]
    private static partial int unshare(int flags);

    [LibraryImport("libc")]
    private static partial int gettid();
}
