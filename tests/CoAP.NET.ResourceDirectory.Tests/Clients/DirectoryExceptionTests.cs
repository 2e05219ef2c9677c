namespace CoAP.NET.ResourceDirectory.Tests.Clients;

/// <summary>What the exception of a directory's client says.</summary>
public sealed class DirectoryExceptionTests
{
    [Theory]
    [InlineData("4.29", 7, 7)]
    [InlineData("5.03", null, 60)]
    [InlineData("4.04", 7, null)]
    public void A_directory_that_asks_to_wait_gives_the_time_as_RetryAfter(string code, int? maxAge, int? seconds)
    {
        CoapMessage message = new() { Code = CoapCode.Parse(code) };
        if (maxAge is { } age)
        {
            message.Options.Add(new MaxAgeOption((uint)age));
        }

        CoapDirectoryException exception = new("It is busy.", CoapResponse.FromMessage(message));

        Assert.Equal(seconds, exception.RetryAfter?.TotalSeconds);
        Assert.Null(new CoapDirectoryException("There is none.").RetryAfter);
    }
}
