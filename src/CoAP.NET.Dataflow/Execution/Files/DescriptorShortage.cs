using System.Net.Sockets;

namespace CoAP.NET;

/// <summary>Recognizes that a file or socket could not be opened because no descriptor is left.</summary>
internal static class DescriptorShortage
{
    // The codes that exceptions of files have: those of the system on Linux and macOS.
    private const int AllOfTheMachine = 23;
    private const int AllOfTheProcess = 24;
    private const int TooManyOpenFilesOnWindows = unchecked((int)0x80070004);

    /// <summary>Returns whether an exception, or a cause of it, is such a shortage.</summary>
    public static bool IsCauseOf(Exception exception)
    {
        for (Exception? cause = exception; cause is not null; cause = cause.InnerException)
        {
            if (cause is SocketException { SocketErrorCode: SocketError.TooManyOpenSockets }
                || (cause is IOException && IsShortage(cause.HResult)))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Returns whether an error number of the system is such a shortage.</summary>
    public static bool IsShortage(int error) =>
        OperatingSystem.IsWindows() ? error == TooManyOpenFilesOnWindows : error is AllOfTheMachine or AllOfTheProcess;
}
