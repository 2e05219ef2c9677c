namespace CoAP.NET.Oscore.Tests.Contexts;

/// <summary>Arguments that cannot be meant are refused where they are given.</summary>
public sealed class ArgumentTests
{
    [Fact]
    public async Task A_context_requires_a_store_for_its_sequence_numbers()
    {
        using OscoreParameters parameters = new(new byte[16], [1], [2]);

        ArgumentNullException error = await Assert.ThrowsAsync<ArgumentNullException>(
            async () => await OscoreContext.OpenAsync(parameters, null!));

        Assert.Equal("store", error.ParamName);
    }

    [Theory]
    [InlineData(0)]
    [InlineData((1 << 20) + 1)]
    public void Limits_outside_of_their_range_are_refused(int requests) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new OscoreLimits { MaxRequestsPerPeer = requests });
}
