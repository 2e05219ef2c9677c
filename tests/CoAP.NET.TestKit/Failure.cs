namespace CoAP.NET;

/// <summary>Asserts that something fails for a reason.</summary>
public static class Failure
{
    /// <summary>Asserts that the code fails with a <see cref="CoapException"/> for that reason, and returns it.</summary>
    public static async Task<CoapException> OfAsync(CoapError error, Func<Task> code) => Is(error, await Record.ExceptionAsync(code));

    /// <summary>Asserts that the code fails with a <see cref="CoapException"/> for that reason, and returns it.</summary>
    public static CoapException Of(CoapError error, Action code) => Is(error, Record.Exception(code));

    /// <summary>Asserts that an exception has a reason, and returns it.</summary>
    public static CoapException Is(CoapError error, Exception? exception)
    {
        CoapException failure = Assert.IsAssignableFrom<CoapException>(exception);
        Assert.Equal(error, failure.Error);
        return failure;
    }
}
